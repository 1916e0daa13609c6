import { z } from 'zod'
import { symbol, uuid } from '../http/validation/values.ts'

/** The query of GET /positions. */
export const positionListQuery = z.strictObject({ accountId: uuid().optional(), symbol: symbol().optional() })
