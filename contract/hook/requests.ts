import type { Expectation } from '#domain/hook/expectation.ts'
import { SENDER_ADDRESSES } from '#domain/hook/addresses.ts'
import {
  APPROVAL_MINUTES,
  fixedValue,
  HOOK_KINDS,
  HOOK_QUANTITY_TYPES,
  type HookSettings,
} from '#domain/hook/settings.ts'
import { MANAGES } from '#domain/signal/manages.ts'
import { z } from 'zod'
import { isNetwork } from '../values/networks.ts'
import { sizedAccounts } from '../values/account-sizes.ts'
import { flatOfSignals } from '../values/flat-by-close.ts'
import { clockTime } from '../values/instants.ts'
import { MOST_FIELDS } from '../values/json-bounds.ts'
import { checkPeriod, paging, period } from '../values/query.ts'
import {
  anyOf,
  lineOfText,
  oneOf,
  quantity,
  symbol,
  trueOrFalse,
  uuid,
  wholeNumber,
} from '../values/values.ts'
import { SIGNALS_OF_REVOKED } from '../identity/requests.ts'

export const MAX_HOOK_MESSAGE_BYTES = 16 * 1024

export const MESSAGE_TOO_LONG = `must be at most ${MAX_HOOK_MESSAGE_BYTES / 1024} KiB`

const MOST_APPROVAL_MINUTES = 10_080
const MOST_SYMBOL_NAMES = MOST_FIELDS
const MOST_WORDS = 50
const MOST_LISTED_ADDRESSES = 50

const byName = <S extends z.ZodType>(value: S, most: number, spelt: (name: string) => string) =>
  z
    .record(lineOfText(64), value, { error: 'must be an object' })
    .refine((names) => Object.keys(names).length <= most, `must have at most ${most} names`)
    .refine(
      (names) => new Set(Object.keys(names).map(spelt)).size === Object.keys(names).length,
      'must have each name once, in capitals or not',
    )
    .transform(
      (names) =>
        Object.fromEntries(Object.entries(names).map(([name, one]) => [spelt(name), one])) as Record<
          string,
          z.output<S>
        >,
    )

const PATH = /^[^.\s"']+(\.[^.\s"']+)*$/
const place = () =>
  lineOfText(200).refine(
    (text) => fixedValue(text) !== null || PATH.test(text),
    'must be a path such as data.ticker, or a fixed value in quotes',
  )
const placeOrNone = () => place().nullable().default(null)

const template = () =>
  z
    .strictObject(
      {
        symbol: place(),
        word: place().describe('The place of the word that says what to do'),
        words: byName(oneOf(['buy', 'sell', 'close']), MOST_WORDS, (word) => word.toLowerCase())
          .refine((words) => Object.keys(words).length > 0, 'must have at least one word')
          .describe('Its words for ours, such as `{"long": "buy", "flat": "close"}`'),
        quantity: placeOrNone(),
        orderType: placeOrNone(),
        limitPrice: placeOrNone(),
        id: placeOrNone().describe("The place of the sender's own name of an alert"),
      },
      { error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : 'must be an object') },
    )
    .describe(
      'The places of the fields in the JSON of any other sender; only for kind template, which requires them',
    )

const address = () =>
  z
    .string({ error: 'must be text' })
    .transform((text) => text.trim().toLowerCase())
    .refine(
      (text) => Object.hasOwn(SENDER_ADDRESSES, text) || isNetwork(text),
      `must be an IP address, a network such as 192.0.2.0/24, or ${Object.keys(SENDER_ADDRESSES).join(', ')}`,
    )

const addresses = () =>
  z
    .array(address(), { error: 'must be a list of addresses' })
    .max(MOST_LISTED_ADDRESSES, `must name at most ${MOST_LISTED_ADDRESSES} addresses`)
    .transform((list) => [...new Set(list)])
    .describe(
      'From which alone it is called: addresses, networks, or `tradingview` for those of it; empty for any',
    )

const EXPECTS = 'must be {"everySession": "15:50"} with a time of day, or {"atLeastEvery": "day"}'
export const expects = () =>
  z
    .union(
      [z.strictObject({ everySession: clockTime() }), z.strictObject({ atLeastEvery: z.literal('day') })],
      { error: EXPECTS },
    )
    .transform((value): Expectation => value)
    .nullable()
    .describe(
      'When something is expected of it, on days with a session: `everySession`, one of the day by that time in New York; `atLeastEvery` day, one from close to close. The alert `sender_silent` reports its absence; null for no such rule',
    )

const name = () => z.string({ error: 'must be text' }).trim().pipe(lineOfText(100))
const exit = () =>
  z
    .record(z.string(), z.unknown(), { error: 'must be an object with exit fields' })
    .nullable()
    .describe(
      'The exit of what it opens where a message says none: the fields of POST /signals that begin with exit',
    )

const choices = {
  accountIds: sizedAccounts(1).describe(
    'The accounts for which it trades, each by its id, or with a size of its own',
  ),
  executeMode: oneOf(['immediate', 'pending'] as const satisfies readonly HookSettings['executeMode'][]),
  approvalMinutes: wholeNumber(1, MOST_APPROVAL_MINUTES)
    .nullable()
    .describe(
      'Minutes for which a signal waits for approval, after which it expires; a message with an earlier validUntil expires by that. Null for no end',
    ),
  strategyId: uuid().nullable(),
  quantity: quantity().nullable().describe('Of a message that says none; null to refuse such a message'),
  quantityType: oneOf(HOOK_QUANTITY_TYPES),
  exit: exit(),
  protection: oneOf(['refuse', 'ignore']).describe(
    'What becomes of a stop or a profit target in a message that cannot be kept, such as one under a name that is not known',
  ),
  symbols: byName(symbol(), MOST_SYMBOL_NAMES, (text) => text.toUpperCase()).describe(
    "Our symbols by the sender's names of them",
  ),
  manages: oneOf(MANAGES).describe(
    'Which shares its targets and closes are about. own: those that it has opened, or with a strategyId those of the strategy. position: all that the account holds of the symbol, also what others have opened',
  ),
  mayShort: trueOrFalse().describe('A sale may open a short position'),
  whenSame: oneOf(['nothing', 'add']).describe('A purchase while long, or a sale while short'),
  whenOpposite: oneOf(['reverse', 'close']).describe('A purchase while short, or a sale while long'),
  template: template().nullable(),
  requestsPerMinute: wholeNumber(1, 600).describe('More are answered that they come later'),
  addresses: addresses(),
  expects: expects(),
  flatByClose: flatOfSignals(),
}

export const hookCreation = {
  name: name(),
  kind: oneOf(HOOK_KINDS).describe('Whose messages it understands; it never changes'),
  ...choices,
  executeMode: choices.executeMode.default('immediate'),
  approvalMinutes: choices.approvalMinutes.default(APPROVAL_MINUTES),
  strategyId: choices.strategyId.default(null),
  quantity: choices.quantity.default(null),
  quantityType: choices.quantityType.default('fixed'),
  exit: choices.exit.default(null),
  protection: choices.protection.default('refuse'),
  symbols: choices.symbols.default({}),
  manages: choices.manages.default('own'),
  mayShort: choices.mayShort.default(false),
  whenSame: choices.whenSame.default('nothing'),
  whenOpposite: choices.whenOpposite.default('close'),
  template: choices.template.default(null),
  requestsPerMinute: choices.requestsPerMinute.default(60),
  addresses: choices.addresses.default([]),
  expects: choices.expects.default(null),
  flatByClose: choices.flatByClose.default(null),
}
export type HookCreation = z.output<z.ZodObject<typeof hookCreation>>

export const hookChange = z.strictObject({ name: name(), ...choices }).partial()
export type HookChange = z.output<typeof hookChange>

export const newSecret = {
  endsOthersAfter: wholeNumber(0, 10_080)
    .default(60)
    .describe('Minutes for which the secret before stays good; the ones before that end at once'),
}

export const liveSwitch = { live: trueOrFalse() }

const messageText = () =>
  z
    .string({ error: 'must be text' })
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be text that can be kept')
    .refine((text) => Buffer.byteLength(text) <= MAX_HOOK_MESSAGE_BYTES, MESSAGE_TOO_LONG)

export const trialMessage = { body: messageText().describe('The message as its sender would send it') }
export const againMessage = { body: messageText().describe('In the place of what was sent').optional() }

export const hookDeletion = z.strictObject({
  signals: oneOf(SIGNALS_OF_REVOKED)
    .describe('What becomes of signals that came by it and that wait')
    .default('withdraw'),
})

export const REQUEST_OUTCOMES = ['accepted', 'nothing', 'repeated', 'refused', 'dry_run', 'late'] as const

export const hookListQuery = z.strictObject(paging)

export const requestListQuery = z
  .strictObject({
    outcome: anyOf(REQUEST_OUTCOMES).optional(),
    q: lineOfText(100).describe('Text in the body, in capitals or not; such as a symbol').optional(),
    ...period,
    ...paging,
  })
  .check(checkPeriod)
