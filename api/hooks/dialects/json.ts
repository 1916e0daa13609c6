import { compare, isDecimal } from '#domain/decimal.ts'
import type { TradeInstruction } from '#domain/hook/message.ts'
import type { HookSettings } from '#domain/hook/settings.ts'
import { ACTIONS, isOpening, type Action } from '#domain/signal.ts'
import type { JsonObject } from '#contract/values/fields.ts'
import type { Dialect, Reading } from './dialect.ts'
import { FIELDS_OF_ALERT_NAMES, alertNameOf } from './identity.ts'
import { isSecretName } from '#contract/values/secrets.ts'
import { folded, type SenderFields } from './sender-fields.ts'
import { symbolOf } from './symbols.ts'
import { exitBeside } from './trade-instruction.ts'

export const json: Dialect = { isNested: false, read, readLine: null }

const OF_THE_HOOK: ReadonlySet<string> = new Set(['dryRun', 'timenow', 'time'])

function read(fields: SenderFields, settings: HookSettings, given: JsonObject): Reading | null {
  fields.know(...Object.keys(given).map(folded))
  const isTest = fields.flag(fields.optional('dryrun')) ?? false
  const name = alertNameOf(fields, fields.pick(...FIELDS_OF_ALERT_NAMES))
  const symbolGiven = fields.pick('symbol')
  const symbol = symbolOf(fields, symbolGiven, settings)
  if (fields.lacks('symbol')) fields.fault('symbol', 'required', 'symbol is required')
  const body = Object.fromEntries(
    Object.entries(given).filter(([field]) => !OF_THE_HOOK.has(field) && !isSecretName(field)),
  )
  if (given['action'] === 'protect') {
    const { protection } = given
    if (typeof protection !== 'object' || protection === null || Array.isArray(protection))
      fields.fault('protection', 'required', 'protect needs protection: {"stop": {"percent": 5}}')
    if (fields.faults.length > 0 || symbol === null) return null
    return { instructions: [{ kind: 'protect', symbol, plan: protection as JsonObject }], name, isTest }
  }
  const trade = { kind: 'trade' as const, body, move: null, senderHolds: null, delaySeconds: null, names: {} }
  body['symbol'] = symbol
  if (body['quantity'] === '')
    fields.fault(
      'quantity',
      'no_value',
      'quantity is empty: its sender had no value there. Leave the field out, or mend the sender',
    )
  const whole = withDefaults(fields, trade, settings)
  return fields.faults.length > 0 ? null : { instructions: [whole], name, isTest }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ''

function withDefaults(
  fields: SenderFields,
  trade: TradeInstruction,
  settings: HookSettings,
): TradeInstruction {
  const { body } = trade
  const target = body['targetPosition']
  const action = ACTIONS.find((each) => each === body['action'])
  const isTarget = !isAbsent(target)
  const sign = isTarget && isDecimal(target) ? compare(String(target) as `${number}`, '0') : null
  if (isTarget) {
    body['action'] ??= sign === null || sign > 0 ? 'openLong' : sign < 0 ? 'openShort' : 'closeLong'
    if (isAbsent(body['quantity'])) body['quantity'] = 1
  }
  const isShort = isTarget ? sign === -1 : action === 'openShort'
  if (isShort && !settings.mayShort)
    fields.fault(
      isTarget ? 'targetPosition' : 'action',
      'short_not_allowed',
      'This hook may not open short positions: allow it in the hook (mayShort)',
    )
  const opens = isTarget ? sign !== 0 : action !== undefined && isOpening(action)
  if (opens && settings.exit !== null && !Object.keys(body).some((field) => field.startsWith('exit')))
    Object.assign(body, exitBeside(fields, body['protection'], settings))
  if (!isAbsent(body['quantity'])) return trade
  if (isTarget) return { ...trade, body: { ...trade.body, ...ANY_SIZE } }
  if (action !== undefined && !isOpening(action)) return allOf(trade, action)
  const isSaid = settings.quantity !== null || settings.accounts.every(({ quantity }) => quantity !== null)
  if (!isSaid)
    fields.fault(
      'quantity',
      'required',
      'The message says no quantity, and neither does the hook: set one in the hook, or in the message',
    )
  delete body['quantity']
  return trade
}

/** A body needs a quantity also where a target or a move says the size. */
const ANY_SIZE = { quantity: 1, quantityType: 'fixed' } as const

const allOf = (trade: TradeInstruction, action: Action): TradeInstruction => ({
  ...trade,
  body: { ...trade.body, ...ANY_SIZE },
  move: { kind: 'close', side: action === 'closeLong' ? 'LONG' : 'SHORT', part: null },
})
