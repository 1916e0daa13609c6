import { levelWords, openingOf, resolvedLines, resultWords } from '../exit/levels.ts'
import { money } from '../words/figures.ts'
import { LIFETIMES } from '../words/order.ts'
import { bothTimes } from '../words/times.ts'
import type { Checked } from './checked.ts'
import { accountNames, type Draft } from './draft.ts'
import { expectedBy, figuresOf } from './figures.ts'
import type { Account } from './requests.ts'
import { effectOf, sentenceOf, verbOf, type Scene } from './scene.ts'
import { hasExit, levelsOfSignal, type Sent } from './sent.ts'

/** A request as it was when the button was pressed: the question shows exactly what is sent. */
export interface Asked {
  sent: Sent
  /** The first account that trades. */
  accountId: string
  /** Idempotency key, so that nothing is placed twice. */
  key: string
  /** "Sell short 5 TSLA at market". */
  sentence: string
  /** "Sell short". */
  verb: string
  isBuy: boolean
  lines: readonly string[]
}

interface Facts {
  draft: Draft
  sent: Sent
  scene: Scene
  /** The answer about the request; null if it could not be checked. */
  checked: Checked | null
  accounts: ReadonlyMap<string, Account>
  /** Milliseconds since the epoch. */
  now: number
}

export function askedOf({ draft, sent, scene, checked, accounts, now }: Facts): Asked {
  const { cost, before, after, shares, opens, isBuy } = figuresOf(draft, scene, checked)
  const run = checked?.dryRun
  const plan = run && openingOf(run) !== null ? levelsOfSignal(sent) : null
  const expected = expectedBy(sent, checked, scene)
  const result = plan === null ? '' : resultWords(plan, expected)
  const lines = [
    draft.alsoIn.length > 0 &&
      `In ${accountNames(draft, accounts)}, one signal each. The figures are those of the first.`,
    cost === null
      ? 'Its cost is unknown.'
      : !isBuy && opens
        ? `Takes about ${money(cost)} of the buying power.`
        : `${isBuy ? 'Costs' : 'Brings'} about ${money(cost)}, before fees.`,
    `${draft.symbol}: ${effectOf(before, after ?? before)}.`,
    result !== '' && `${result}, before fees.`,
    ...(plan === null ? [] : resolvedLines(plan, expected).map(levelWords)),
    draft.quantityType !== 'fixed' && 'The quantity is calculated again when it is sent.',
    (draft.executeMode === 'pending' || run?.outcome === 'held') && 'It needs approval before it is sent.',
    run?.scheduledAt != null && `It is sent at ${bothTimes(run.scheduledAt, now)}.`,
    draft.timeInForce !== 'day' && `Time in force: ${LIFETIMES[draft.timeInForce]}.`,
    draft.extendedHours && 'It trades in extended hours too.',
    run?.exitAt != null && `The position is closed at ${bothTimes(run.exitAt, now)}.`,
    sent.as === 'signal' && 'It is stored as a signal.',
    opens && !hasExit(sent) && 'No exit is planned for it.',
  ]
  return {
    sent,
    accountId: draft.accountId,
    key: draft.sourceId,
    sentence: sentenceOf(draft, scene.held, shares),
    verb: verbOf(draft, scene.held),
    isBuy,
    lines: lines.filter((line) => line !== false),
  }
}
