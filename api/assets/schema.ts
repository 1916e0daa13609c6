import { z } from 'zod'
import { symbol, uuid } from '../http/validation/values.ts'

/** The path of an asset. */
export const assetPath = z.strictObject({ symbol: symbol() })

/** Which account's broker is asked; without it the first one that offers a look-up. */
export const assetQuery = z.strictObject({ accountId: uuid().optional() })
