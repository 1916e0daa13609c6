import { z } from 'zod'
import { symbol, uuid } from '../http/validation/values.ts'

export const positionListQuery = z.strictObject({ accountId: uuid().optional(), symbol: symbol().optional() })
