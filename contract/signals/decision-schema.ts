import { z } from 'zod'
import { lineOfText, uuid } from '../values/values.ts'
import { signalFields } from './fields.ts'

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
