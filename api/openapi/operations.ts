import { accountOperations } from '../accounts/operations.ts'
import { assetOperations } from '../assets/operations.ts'
import { settingsOperations } from '../settings/operations.ts'
import type { Operations } from './operation.ts'

/** Every route of the API that is described, room by room. */
export const OPERATIONS: Operations = {
  ...accountOperations,
  ...assetOperations,
  ...settingsOperations,
}
