import { isReducing, parseClientOrderId, type OrderReport, type OrderRequest } from '#domain/order/order.ts'

/**
 * What a life with an exit plan may come through, and in how many of a hundred such lives it does at least: the long form holds the
 * generator to it, so that it is noticed when a part of the space is not visited any more.
 */
export const VISITS = {
  'an order of the plan': 60,
  'a target and a stop in one order': 10,
  'a trailing stop of the broker': 3,
  'an order at a target that is watched here': 2,
  'a timed exit, or a close at market': 15,
  'a level that was crossed here': 12,
  'a level that was reached while the entry worked': 1,
  'a stop that was moved': 4,
  'a stop that follows the price': 2,
  'a stop that moved to break-even': 1,
  'a part of an order of the plan was filled': 0.5,
  'an entry that fills after its end': 4,
  'shares that a person sells': 10,
  'another signal that closes': 2,
  'an order that a person cancels': 1,
  'a plan that a person changes': 6,
  'a plan that a person takes away': 2,
  'a stop of all trading': 6,
  'an order that the broker ends': 2,
  'Temporal is lost': 20,
  'the ledger is lost': 10,
  'a level that has to be acted upon': 15,
  'a level that was not acted upon, with an alert': 0,
  'an entry for which our own exits made way': 0,
} as const
export type Visit = keyof typeof VISITS

/** What the acceptance of an exit tells, of a signal with a plan. */
export function visitsOf({ clientOrderId, orderType, side }: OrderRequest): Visit[] {
  const purpose = parseClientOrderId(clientOrderId)?.purpose
  if (!isReducing(side) || purpose === undefined) return []
  if (purpose === 'target') return ['an order at a target that is watched here']
  if (purpose === 'timed') return ['a timed exit, or a close at market']
  return [
    'an order of the plan',
    ...(orderType === 'oco' ? (['a target and a stop in one order'] as const) : []),
    ...(orderType === 'trailingStop' ? (['a trailing stop of the broker'] as const) : []),
  ]
}

export const MADE_WAY = 'an entry for which our own exits made way' satisfies Visit

export const isOfProtection = ({ clientOrderId }: Pick<OrderReport, 'clientOrderId'>): boolean =>
  parseClientOrderId(clientOrderId)?.purpose === 'plan'

/** Of lives with a plan, how many have come through what. */
export class VisitCount {
  #lives = 0
  readonly #counts = new Map<Visit, number>()

  add(visited: ReadonlySet<Visit>): void {
    this.#lives += 1
    for (const one of visited) this.#counts.set(one, (this.#counts.get(one) ?? 0) + 1)
  }

  /** For people, most frequent first. */
  get table(): string {
    const rows = (Object.keys(VISITS) as Visit[])
      .map((name) => ({ name, share: this.share(name) }))
      .toSorted((a, b) => b.share - a.share)
    return [
      `${this.#lives} lives with an exit plan, of a hundred of which came through`,
      ...rows.map(({ name, share }) => `${share.toFixed(1).padStart(6)}  ${name}`),
    ].join('\n')
  }

  /** What too few of the lives have come through, in words. */
  get tooRare(): string[] {
    return (Object.entries(VISITS) as [Visit, number][])
      .filter(([name, least]) => this.share(name) < least)
      .map(([name, least]) => `${name}: ${this.share(name).toFixed(1)} of a hundred lives, not ${least}`)
  }

  /** Of a hundred lives. */
  share(name: Visit): number {
    return (100 * (this.#counts.get(name) ?? 0)) / Math.max(1, this.#lives)
  }
}
