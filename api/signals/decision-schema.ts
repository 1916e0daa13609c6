import type { Signal } from '#db/entities/index.ts'
import { z } from 'zod'
import type { Decimal } from '#domain/decimal.ts'
import { fault, validationError } from '../http/errors.ts'
import { lineOfText, uuid } from '../http/validation/values.ts'
import { signalFields } from './fields.ts'
import { percentFault } from './size-rules.ts'
import type { Edits } from './decision-commands.ts'

const MAX_IDS = 100

const ids = () =>
  z
    .array(uuid(), { error: 'must be a list of signal ids' })
    .min(1, 'must name at least one signal')
    .max(MAX_IDS, `must name at most ${MAX_IDS} signals`)
    .transform((list) => [...new Set(list)])

const reason = () => lineOfText(500).optional()

export const approvalFields = {
  quantity: signalFields.quantity.optional(),
  limitPrice: signalFields.limitPrice,
}
export const exitSizeFields = {
  quantity: signalFields.quantity.describe(
    'Shares that the exit is to sell, or to buy back; no more than the broker shows',
  ),
  limitPrice: signalFields.exitLimitPrice,
  stopPrice: signalFields.exitStopPrice,
}
export const checkQuery = z.strictObject(approvalFields)
export const declineFields = { reason: reason() }
export const bulkApprovalFields = { ids: ids() }
export const bulkDeclineFields = { ids: ids(), reason: reason() }

export function editsOf(
  { orderType, quantityType, target }: Pick<Signal, 'orderType' | 'quantityType' | 'target'>,
  { quantity, limitPrice }: { quantity?: Decimal | undefined; limitPrice?: Decimal | undefined },
): Edits {
  if (limitPrice !== undefined && orderType !== 'limit' && orderType !== 'stopLimit')
    throw validationError([
      fault(
        ['limitPrice'],
        'not_allowed',
        `limitPrice is not allowed for orderType ${orderType}: leave it out`,
      ),
    ])
  if (quantity !== undefined && target)
    throw validationError([
      fault(
        ['quantity'],
        'not_allowed',
        'quantity is not allowed for a signal whose order depends on what is held',
      ),
    ])
  const tooBig = quantity === undefined ? null : percentFault(quantityType, quantity)
  if (tooBig !== null) throw validationError([fault(['quantity'], 'too_big', `quantity ${tooBig}`)])
  return { quantity: quantity ?? null, limitPrice: limitPrice ?? null }
}
