import { sizedFor, type AccountSize } from '#domain/account-size.ts'
import { LEDGER_PLACES, round } from '#domain/decimal.ts'
import { ApiError, fault, validationError, type Fault } from '../errors.ts'
import { sizedAccounts } from '../values/account-sizes.ts'
import { faultsIn, type JsonObject } from '../values/fields.ts'
import { signalFields } from '../signals/fields.ts'
import { readSignalRequest, type SignalRequest } from '../signals/schema.ts'
import { percentFault } from '../signals/size-rules.ts'

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
