import assert from 'node:assert/strict'
import fc from 'fast-check'
import { ApiError, type Fault } from '#contract/errors.ts'
import { readSending } from '#contract/group/shapes.ts'
import { readOrderRequest } from '#contract/order/shapes.ts'
import { EXIT_TRIGGERS } from '#domain/exit/exit.ts'
import { noProtection, type By, type LevelDraft } from '#web/exit/draft.ts'
import { emptyDraft, type Draft } from '#web/trade/draft.ts'
import { askedOfExit, NO_EXIT, type ExitDraft } from '#web/trade/exit.ts'
import { judged } from '#web/trade/judged.ts'
import { fieldOf, isAsked } from '#web/trade/rules.ts'
import { leavesPosition } from '#web/trade/scene.ts'
import { sentOf } from '#web/trade/sent.ts'

const NOW = Date.parse('2026-03-02T15:00:00Z')
const ACCOUNT = '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f'
const OTHER = '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a'

/** Mostly one that is sound, so that every rule is met alone too. */
const mostly = <T>(sound: T, ...others: readonly T[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(sound) }, { weight: 3, arbitrary: fc.constantFrom(...others) })

const FIGURES = ['', '-', '½', '0', '-5', '1.', '.5', '1e3', '1,000', ' 7 ', '101', '9.123', '{{close}}']
const figure = (sound: string) => mostly(sound, ...FIGURES, '99999999999', '0.0000000001')
const time = mostly(
  '2026-03-03T15:45',
  '',
  '2026-03-08T02:30',
  '2026-01-02T10:00',
  '2026-09-02T10:00',
  'soon',
)
const level = (...ways: By[]) =>
  fc.record<LevelDraft>({ by: fc.constantFrom('', ...ways), value: figure('5') })

const drafts = fc
  .record<Partial<Draft>>({
    side: fc.constantFrom('BUY', 'SELL'),
    effect: mostly('', 'open', 'close'),
    symbol: mostly('AAPL', '', 'brk-b', 'BTC/USD', '!', 'LSE:VOD', '{{ticker}}'),
    accountId: mostly(ACCOUNT, ''),
    alsoIn: mostly<string[]>([], [OTHER]),
    quantity: figure('10'),
    quantityType: mostly<Draft['quantityType']>(
      'fixed',
      'dollarAmount',
      'percentEquity',
      'riskPercent',
      'riskDollars',
      'percentPosition',
    ),
    targetPosition: mostly('', '-20', '5', ...FIGURES),
    orderType: fc.constantFrom('market', 'limit', 'stop', 'stopLimit'),
    limitPrice: figure('99.5'),
    stopPrice: figure('101.5'),
    executeMode: mostly<Draft['executeMode']>('immediate', 'scheduled', 'pending'),
    scheduledProcessAt: time,
    validUntil: mostly('', '2026-03-03T16:45', '2026-03-03T15:00', '2026-01-02T10:00', 'soon'),
    expiresAt: time,
    timezone: mostly('America/New_York', 'UTC', 'Nowhere/City'),
    timeInForce: fc.constantFrom('day', 'gtc', 'ioc', 'opg', 'gtd'),
    extendedHours: fc.boolean(),
    isSignal: fc.boolean(),
    sourceId: mostly('web-1', '', 'mine', 'null', 'x'.repeat(300)),
    metadata: mostly('', '{"note":"kept"}', 'note', '[1]', '"text"', String.raw`{"note":"\u0000"}`),
    exit: fc.record<ExitDraft>({
      exitTriggerType: mostly<ExitDraft['exitTriggerType']>('', ...EXIT_TRIGGERS),
      exitTriggerMinutes: mostly('15', '', '61', '5', '½'),
      exitTriggerTime: mostly('15:45', ''),
      exitOrderType: fc.constantFrom('market', 'limit', 'stop', 'stopLimit', 'moc'),
      exitLimitPrice: figure('130.5'),
      exitStopPrice: figure('88.5'),
    }),
    protection: fc.record<Draft['protection']>({
      stop: level('price', 'percent', 'amount'),
      limitOffset: mostly('', ...FIGURES),
      target: level('price', 'percent', 'amount'),
      trail: level('percent', 'amount'),
      trailAfter: level('percent', 'amount'),
      breakEven: level('percent', 'amount'),
      until: fc.constantFrom('closed', 'session'),
    }),
  })
  .map(emptyDraft)

/** The fields that are in sight, or come in sight with a fault of theirs. */
function shownIn(draft: Draft, held: number): ReadonlySet<string> {
  const always = ['symbol', 'accountId', 'quantity', 'timeInForce', 'validUntil', 'strategyId'] as const
  const more = ['targetPosition', 'sourceId', 'metadata'] as const
  const asked = ['stopPrice', 'limitPrice', 'scheduledProcessAt', 'expiresAt', 'timezone'] as const
  const shown = new Set<string>([...always, ...more, ...asked.filter((name) => isAsked(name, draft))])
  if (!leavesPosition(draft, held)) return shown
  const { stop, target, trail, breakEven } = draft.protection
  for (const part of ['stop', 'target', 'trail', 'breakEven']) shown.add(`protection.${part}`)
  if (stop.by !== '') shown.add('protection.stop.limitOffset')
  if (trail.by !== '') shown.add('protection.trail.after')
  if ([stop, target, trail, breakEven].some(({ by }) => by !== '')) shown.add('protection.until')
  const exit = askedOfExit(draft.exit)
  if (exit.hasExit) shown.add('exitOrderType')
  if (exit.triggerField) shown.add(exit.triggerField)
  if (exit.limitPrice) shown.add('exitLimitPrice')
  if (exit.stopPrice) shown.add('exitStopPrice')
  return shown
}

/** What the service says against a request as it is sent, asked by a dry run. */
function refusalOf(draft: Draft, held: number): readonly Fault[] {
  const { as, body } = sentOf(draft, held)
  const sent = JSON.parse(JSON.stringify({ ...body, dryRun: true })) as Record<string, unknown>
  try {
    if (as === 'order') readOrderRequest(sent)
    else readSending(sent, NOW)
    return []
  } catch (error) {
    if (error instanceof ApiError) return error.details
    throw error
  }
}

describe('the form of a request to trade, judged before it is sent', () => {
  const draft = (changes: Partial<Draft> = {}): Draft =>
    emptyDraft({ symbol: 'AAPL', accountId: ACCOUNT, quantity: '10', sourceId: 'web-1', ...changes })
  const of = (changes: Partial<Draft> = {}, held: number | null = 0) => judged(draft(changes), held, NOW)
  const faults = (...given: Parameters<typeof of>) => of(...given).faults
  const missing = (...given: Parameters<typeof of>) => Object.keys(of(...given).questions)
  const stopped = (by: By, value: string) => ({ protection: { ...noProtection(), stop: { by, value } } })

  it('what the service would refuse is at a field that the form shows, and what the form calls sound it reads', () => {
    const met = new Set<string>()
    fc.assert(
      fc.property(drafts, fc.constantFrom(-7, 0, 7), (given, held) => {
        const { questions, faults: wrong } = judged(given, held, NOW)
        const told = { ...questions, ...wrong }
        const shown = shownIn(given, held)
        for (const field of Object.keys(told)) {
          assert.ok(shown.has(field), `${field} is not shown, and: ${told[field]}`)
          met.add(field)
        }
        for (const { path, message } of refusalOf(given, held))
          assert.ok(fieldOf(path) in told, `nothing is told of: ${message}`)
      }),
      { numRuns: 1_500 },
    )
    assert.ok(met.size > 15, [...met].join(', '))
  })

  it('words against a field are for people: no name of the contract is in them', () => {
    const camel = /\b[a-z]+[A-Z]\w*/
    fc.assert(
      fc.property(drafts, fc.constantFrom(-7, 0, 7), (given, held) => {
        const { questions, faults: wrong } = judged(given, held, NOW)
        for (const words of Object.values({ ...questions, ...wrong })) assert.doesNotMatch(words, camel)
      }),
      { numRuns: 500 },
    )
  })

  it('a figure that is none is a fault of its field at once, and goes as soon as it is mended', () => {
    assert.deepEqual(faults({ quantity: '½' }), { quantity: 'Enter a number, such as 1000' })
    for (const quantity of ['1', '1.', '.5', '1,000']) assert.deepEqual(faults({ quantity }), {}, quantity)
    assert.deepEqual(faults({ quantity: '0' }), { quantity: 'Must be greater than 0' })
    assert.deepEqual(faults({ quantity: '101', quantityType: 'percentPosition', side: 'SELL' }, 5), {
      quantity: 'Must be at most 100',
    })
    assert.deepEqual(
      faults({ exit: { ...NO_EXIT, exitTriggerType: 'immediate' }, ...stopped('percent', '3') }),
      {
        'protection.stop': 'An exit right after the fill takes all shares: set no levels beside it',
      },
    )
  })

  it('a price with too many decimals is a fault at its own field, which names the prices beside it', () => {
    assert.deepEqual(faults(stopped('price', '130.123')), {
      'protection.stop': 'A price must have at most 2 decimals, or 4 below a dollar: 130.12 or 130.13',
    })
    assert.deepEqual(faults(stopped('price', '130.12')), {})
    assert.deepEqual(faults({ orderType: 'limit', limitPrice: '0.1234' }), {})
    assert.deepEqual(Object.keys(faults({ orderType: 'stop', stopPrice: '1.005' })), ['stopPrice'])
    assert.deepEqual(faults({ limitPrice: 'many' }), {}, 'it is not asked for')
    assert.deepEqual(
      faults({ ...stopped('price', '130.123'), side: 'SELL' }, 5),
      {},
      'what closes has no exit',
    )
  })

  it('what no person has filled in is a question at its field, and no fault', () => {
    assert.deepEqual(of(), { questions: {}, faults: {} })
    assert.deepEqual(missing({ quantity: '', symbol: '', accountId: '' }), [
      'symbol',
      'accountId',
      'quantity',
    ])
    assert.deepEqual(missing({ quantity: '-' }), ['quantity'], 'it is only begun')
    assert.deepEqual(missing({ orderType: 'stopLimit' }), ['limitPrice', 'stopPrice'])
    assert.deepEqual(missing({ executeMode: 'scheduled' }), ['scheduledProcessAt'])
    assert.deepEqual(missing(stopped('percent', '')), ['protection.stop'])
    assert.deepEqual(missing({ quantityType: 'riskPercent' }), ['protection.stop'])
    assert.deepEqual(missing({ quantityType: 'riskPercent', ...stopped('percent', '3') }), [])
    assert.deepEqual(missing({ quantityType: 'riskDollars', side: 'SELL' }, 5), ['quantity'])
    assert.deepEqual(missing({ sourceId: ' ' }), ['sourceId'])
    assert.deepEqual(missing({ side: 'SELL' }, null), [''], 'the positions are not read')
    assert.deepEqual(missing({ side: 'SELL', effect: 'close' }, null), [])
    for (const wrong of [{ quantity: '' }, { orderType: 'limit' }, stopped('price', '')] as const)
      assert.deepEqual(faults(wrong), {})
  })
})
