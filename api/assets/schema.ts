import { z } from 'zod'
import { uuid } from '../http/validation/values.ts'

/** Which account's broker is asked; without it the first one that offers a look-up. */
export const assetQuery = z.strictObject({ accountId: uuid().optional() })
