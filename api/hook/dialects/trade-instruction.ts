import { compare, type Decimal } from '#domain/money/decimal.ts'
import { isAtOnce } from '#domain/exit/exit.ts'
import type { TradeInstruction } from '#domain/hook/message.ts'
import type { HookSettings } from '#domain/hook/settings.ts'
import type { Move } from '#domain/signal/move.ts'
import { mayMoveOpen } from '#domain/signal/moves.ts'
import { fieldsOf, exitInBody, sideOpenedBy } from './protection.ts'
import type { Given, SenderFields } from './sender-fields.ts'
import type { Intent, ReadExit, Size, TradeRequest } from './dialect.ts'

/** As `ANY_SIZE` in json.ts. */
const ANY_QUANTITY = '1'
const QUANTITY_TYPE_OF = {
  shares: 'fixed',
  dollars: 'dollarAmount',
  percentEquity: 'percentEquity',
  riskPercent: 'riskPercent',
  riskDollars: 'riskDollars',
} as const

export function tradeInstruction(
  fields: SenderFields,
  tradeRequest: TradeRequest,
  settings: HookSettings,
): TradeInstruction | null {
  const { symbol, intent, size, order, senderHolds = null, delaySeconds = null } = tradeRequest
  const before = fields.faults.length
  const move = moveOf(fields, intent, size)
  const exits = exitsOf(fields, tradeRequest, settings)
  const names = { ...tradeRequest.names, ...exits.names }
  if (size !== null) names['quantity'] ??= size.given.name
  const body = {
    symbol,
    action: actionOf(intent),
    ...quantityOf(fields, tradeRequest, settings),
    ...(intent.kind === 'target' && {
      targetPosition: intent.position,
      ...(intent.at !== null && { targetAt: intent.at }),
    }),
    ...order,
    ...exits.body,
  }
  if (fields.faults.length > before) return null
  return { kind: 'trade', body, move, senderHolds, delaySeconds, names }
}

function moveOf(fields: SenderFields, intent: Intent, size: Size | null): Move | null {
  if (intent.kind === 'target') return null
  if (intent.kind === 'move') return intent.move
  return { kind: 'close', side: intent.side, part: size === null ? null : partOf(fields, size) }
}

function partOf(
  fields: SenderFields,
  { unit, value, given }: Size,
): { shares: Decimal } | { percent: Decimal } | null {
  if (unit === 'shares') return { shares: value }
  if (unit === 'percentOfPosition') {
    if (compare(value, '100') <= 0) return { percent: value }
    return fields.fault(
      given,
      'too_big',
      `${given.name} must be at most 100: it is a percentage of the position`,
    )
  }
  return refuseSizeOfClosing(fields, given)
}

const refuseSizeOfClosing = (fields: SenderFields, given: Given): null =>
  fields.fault(
    given,
    'unsupported_size',
    `${given.name} must be in shares, or in percent of the position, for a message that closes`,
  )

function mayOpenSomething(intent: Intent): boolean {
  if (intent.kind === 'close') return false
  return intent.kind === 'target' ? intent.position !== '0' : mayMoveOpen(intent.move)
}

function actionOf(intent: Intent): string {
  if (intent.kind === 'close') return intent.side === 'SHORT' ? 'closeShort' : 'closeLong'
  if (intent.kind === 'target')
    return intent.position === '0'
      ? 'closeLong'
      : compare(intent.position, '0') > 0
        ? 'openLong'
        : 'openShort'
  if (intent.move.direction === 'buy') return 'openLong'
  return mayOpenSomething(intent) ? 'openShort' : 'closeLong'
}

function quantityOf(
  fields: SenderFields,
  { intent, size, sizeless }: TradeRequest,
  settings: HookSettings,
): Record<string, unknown> {
  if (intent.kind === 'target') return { quantity: ANY_QUANTITY, quantityType: 'fixed' }
  if (intent.kind === 'close')
    return { quantity: size?.unit === 'shares' ? size.value : ANY_QUANTITY, quantityType: 'fixed' }
  if (size === null) {
    if (!mayOpenSomething(intent)) return { quantity: ANY_QUANTITY, quantityType: 'fixed' }
    const isSaid = settings.quantity !== null || settings.accounts.every(({ quantity }) => quantity !== null)
    if (!isSaid && sizeless !== undefined) {
      fields.advise(
        'quantity_assumed',
        `Neither the message nor the hook has a quantity: ${sizeless} is used, as its sender does. Set one in the hook, or in the message`,
      )
      return { quantity: sizeless, quantityType: 'fixed' }
    }
    // A faulty size is reported already.
    if (!isSaid && fields.faults.length === 0)
      fields.fault(
        'quantity',
        'required',
        'Neither the message nor the hook has a quantity: set one in the hook, or in the message',
      )
    return {}
  }
  if (size.unit === 'percentOfPosition') {
    fields.fault(
      size.given,
      'unsupported_size',
      `${size.given.name} in percent of the position is taken for what closes, not for what opens or adds`,
    )
    return {}
  }
  if (size.unit !== 'shares' && !mayOpenSomething(intent) && intent.move.whenOpposite === 'reduce')
    refuseSizeOfClosing(fields, size.given)
  return { quantity: size.value, quantityType: QUANTITY_TYPE_OF[size.unit] }
}

const UNPROTECTED: ReadExit = { stop: null, target: null, trail: null, unkept: [] }

/** The first of the message's levels and the hook's exit closes. */
function exitsOf(
  fields: SenderFields,
  { intent, protection = UNPROTECTED }: TradeRequest,
  settings: HookSettings,
): { body: Record<string, unknown>; names: Partial<Record<string, string>> } {
  if (intent.kind === 'close' || !mayOpenSomething(intent)) {
    const useless = fieldsOf(protection)
    if (useless.length > 0)
      fields.advise(
        'protection_ignored',
        `${useless.join(' and ')} say nothing for a message that only closes: they were left out`,
      )
    return { body: {}, names: {} }
  }
  const { body, names } = exitInBody(fields, protection, sideOpenedBy(intent), settings)
  const exit = exitBeside(fields, body, settings)
  return { body: { ...exit, ...(body && { protection: body }) }, names }
}

/** Null where it would close all before the message's levels. */
export function exitBeside(
  fields: SenderFields,
  plan: unknown,
  { exit }: HookSettings,
): Record<string, unknown> | null {
  if (exit === null || plan == null || !isAtOnce(exit['exitTriggerType'])) return exit
  fields.advise(
    'hook_exit_left_out',
    'The exit of the hook is left out: it would take all shares at once, and the message brings a stop or a profit target',
  )
  return null
}
