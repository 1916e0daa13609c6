import { sizedFor, type AccountSize } from '#domain/account/size.ts'
import { LEDGER_PLACES, round } from '#domain/money/decimal.ts'
import { ApiError, fault, validationError, type Fault } from '../errors.ts'
import { sizedAccounts } from '../values/account-sizes.ts'
import { faultsIn, type JsonObject } from '../values/fields.ts'
import { signalFields } from '../signal/fields.ts'
import { readSignalRequest, type SignalRequest } from '../signal/request.ts'
import { percentFault } from '../signal/rules.ts'
import { z } from 'zod'
import { checkPeriod, paging, period, pagingAnswer } from '../values/query.ts'
import { oneOf, symbols, uuid } from '../values/values.ts'
import { SIGNAL_STATUSES, EXECUTE_MODES } from '#domain/signal/signal.ts'
import { createdAnswer, signalAnswer, signalStatus } from '../signal/answers.ts'
import { dryRunAnswer } from '../signal/dry-run.ts'
import { EXAMPLE_PENDING, EXAMPLE_SIGNAL } from '../signal/examples.ts'

const accountIds = sizedAccounts(2)

export const sendingFields = {
  ...signalFields,
  accountId: signalFields.accountId
    .optional()
    .describe('The account that trades. Required, unless accountIds names several'),
  accountIds: accountIds
    .optional()
    .describe(
      'In the place of accountId: the accounts that trade, 2 to 50, each with a signal of its own. Each is an id, or an object ' +
        'with accountId and either a multiplier of quantity and targetPosition, or a quantity of its own. sourceId names all of ' +
        'them together then, for ever. Not with replaceExisting',
    ),
}

export type Sending = { request: SignalRequest } | { requests: SignalRequest[] }

const ANY_ACCOUNT = '00000000-0000-4000-8000-000000000000'

/** Throws as {@link readSignalRequest}. */
export function readSending(body: JsonObject, now: number): Sending {
  const { accountIds: named, ...common } = body
  if (named === undefined || named === null || named === '')
    return { request: readSignalRequest(common, now) }
  const accounts = accountIds.safeParse(named)
  const faults = accounts.success ? [] : faultsIn(accounts.error, ['accountIds'])
  const { accountId, replaceExisting, ...rest } = common
  if (accountId !== undefined && accountId !== null && accountId !== '')
    faults.push(
      fault(['accountId'], 'not_allowed', 'accountId is not allowed with accountIds: leave one of them out'),
    )
  if (replaceExisting === true)
    faults.push(
      fault(
        ['replaceExisting'],
        'not_allowed',
        'replaceExisting is not allowed with accountIds: leave it out',
      ),
    )
  const base = baseOf({ ...rest, accountId: ANY_ACCOUNT }, now, faults)
  if (!accounts.success || base === null) throw validationError(faults)
  const requests = accounts.data.map((account, index) => ({
    ...sized(base, account, ['accountIds', index], faults),
    accountId: account.accountId,
  }))
  if (faults.length > 0) throw validationError(faults)
  return { requests }
}

function baseOf(body: JsonObject, now: number, faults: Fault[]): SignalRequest | null {
  try {
    return readSignalRequest(body, now)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR') throw error
    faults.push(...error.details)
    return null
  }
}

function sized(
  base: SignalRequest,
  account: AccountSize,
  path: Fault['path'],
  faults: Fault[],
): SignalRequest {
  const quantity = signalFields.quantity.safeParse(sizedFor(account, base.quantity))
  const target =
    base.targetPosition === null
      ? null
      : signalFields.targetPosition.safeParse(round(sizedFor(account, base.targetPosition), LEDGER_PLACES))
  for (const [field, read] of [
    ['quantity', quantity],
    ['targetPosition', target],
  ] as const) {
    const [issue] = read?.error?.issues ?? []
    if (issue)
      faults.push(fault([...path, 'multiplier'], issue.code, `${field} times multiplier ${issue.message}`))
  }
  const tooBig = quantity.success ? percentFault(base.quantityType, quantity.data) : null
  if (tooBig !== null) faults.push(fault(path, 'too_big', `the quantity of the account ${tooBig}`))
  return {
    ...base,
    quantity: quantity.data ?? base.quantity,
    targetPosition: target?.data ?? null,
  }
}

export const groupListQuery = z
  .strictObject({
    tokenId: uuid().describe('The access token or hook that sent it').optional(),
    symbol: symbols().optional(),
    accounts: oneOf(['several', 'all'])
      .describe(
        'several: those for more than one account. all: those for one account too, as most messages of hooks are',
      )
      .default('several'),
    ...period,
    ...paging,
  })
  .check(checkPeriod)

const instant = () => z.iso.datetime()

const sentLineAnswer = z
  .strictObject({
    accountId: z.uuid(),
    id: z.uuid().nullable().describe('Its signal; null where the account has none'),
    status: signalStatus.nullable(),
    executeMode: z.enum(EXECUTE_MODES).nullable(),
    orderId: z.uuid().nullable().describe('The entry order, once the broker has accepted it'),
    scheduledAt: instant().nullable().describe('When its order is sent'),
    code: z
      .string()
      .nullable()
      .describe('Why there is no signal, or why it placed no order; null for a signal in force'),
    message: z.string().describe('What happened, or happens next'),
  })
  .meta({ id: 'SignalOfGroup' })

export const createdGroupAnswer = createdAnswer.extend({
  signal: createdAnswer.shape.signal.describe('That of the first account that has one'),
  groupId: z.uuid().nullable().describe('The group of the signals; null where each of them was there before'),
  signals: z.array(sentLineAnswer).describe('How it went for each account, in the order of accountIds'),
})

export const groupDryRunAnswer = dryRunAnswer.extend({
  dryRun: dryRunAnswer.shape.dryRun.describe('That of the first account that could be asked'),
  dryRuns: z
    .array(
      z.strictObject({
        accountId: z.uuid(),
        dryRun: dryRunAnswer.shape.dryRun.nullable().describe('Null where the account could not be asked'),
        code: z.string().nullable().describe('Why it could not'),
        message: z.string(),
      }),
    )
    .describe('What would happen on each account'),
})

const groupAnswer = z
  .strictObject({
    id: z.uuid(),
    summary: z.string().describe('What was asked for, in one line'),
    symbol: z.string(),
    tokenId: z.uuid().nullable().describe('The access token or hook that sent it; null for a person'),
    accounts: z.int().describe('How many accounts it asked for'),
    signals: z
      .partialRecord(z.enum(SIGNAL_STATUSES), z.int())
      .describe('How many of its signals are in each status; those without a signal are left out'),
    refused: z.int().describe('Accounts without a signal of their own'),
    createdAt: instant().describe('When it was received'),
  })
  .meta({ id: 'SignalGroup' })

export const groupListAnswer = z.strictObject({ groups: z.array(groupAnswer), ...pagingAnswer })

export const groupDetailAnswer = z.strictObject({
  group: groupAnswer,
  signals: z
    .array(signalAnswer)
    .describe('The oldest first; one that goes on with a target to its other side has `continues`'),
  refusals: z
    .array(
      z.strictObject({
        accountId: z.uuid(),
        code: z.string().describe('Stable, for programs'),
        message: z.string(),
        signalId: z
          .uuid()
          .nullable()
          .describe('The earlier signal that counts instead, because it holds the sourceId or is repeated'),
      }),
    )
    .describe('Accounts without a signal of their own, and why'),
})

export const stoppedGroupAnswer = z.strictObject({
  results: z.array(
    z.strictObject({
      id: z.uuid(),
      accountId: z.uuid(),
      outcome: z
        .enum(['withdrawn', 'cancelled', 'asked', 'over', 'failed'])
        .describe(
          'withdrawn: no order is sent. cancelled: its entry was. asked: one of both, not confirmed yet. over: it had ended before. failed: `code` says why',
        ),
      code: z.string().nullable(),
      message: z.string(),
      signal: signalAnswer,
    }),
  ),
})

export type GroupAnswer = z.output<typeof groupAnswer>
export type GroupDetailAnswer = z.output<typeof groupDetailAnswer>
export type StoppedGroupAnswer = z.output<typeof stoppedGroupAnswer>
export type CreatedGroupAnswer = z.output<typeof createdGroupAnswer>
export type GroupDryRunAnswer = z.output<typeof groupDryRunAnswer>
export type SentLineAnswer = z.output<typeof sentLineAnswer>

const GROUP_ID = '3c2b1a09-8f7e-4d6c-9b5a-4f3e2d1c0b9a'
const REFUSING = '0d9c8b7a-6f5e-4d3c-8b2a-190f8e7d6c5b'

const PENDING = { ...EXAMPLE_PENDING, groupId: GROUP_ID }

export const EXAMPLE_GROUP: GroupAnswer = {
  id: GROUP_ID,
  summary: 'openLong 10 AAPL',
  symbol: 'AAPL',
  tokenId: null,
  accounts: 3,
  signals: { executed: 1, pending: 1 },
  refused: 1,
  createdAt: EXAMPLE_SIGNAL.createdAt,
}

export const EXAMPLE_GROUP_DETAIL: GroupDetailAnswer = {
  group: EXAMPLE_GROUP,
  signals: [{ ...EXAMPLE_SIGNAL, groupId: GROUP_ID }, PENDING],
  refusals: [
    {
      accountId: REFUSING,
      code: 'MODE_MISMATCH',
      message: 'The account is a live account and the mode is PAPER',
      signalId: null,
    },
  ],
}

export const EXAMPLE_STOPPED: StoppedGroupAnswer = {
  results: [
    {
      id: PENDING.id,
      accountId: PENDING.accountId,
      outcome: 'withdrawn',
      code: null,
      message: 'The signal is withdrawn: no order is sent',
      signal: { ...PENDING, status: 'cancelled', statusReason: 'WITHDRAWN' },
    },
  ],
}

export const EXAMPLE_DECIDED_ONE = { results: [{ id: PENDING.id, success: true, signal: PENDING }] }
