import { z } from 'zod'
import { proof } from '../identity/schema.ts'
import { oneOf } from '../values/values.ts'

export const TRADING_MODES = ['PAPER', 'LIVE'] as const
export type TradingMode = (typeof TRADING_MODES)[number]

export const modeSwitch = { mode: oneOf(TRADING_MODES), ...proof }

export const accountListQuery = z.strictObject({
  include: oneOf(['removed']).describe('Lists removed accounts too, which are not active').optional(),
})
