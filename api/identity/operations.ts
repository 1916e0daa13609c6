import type { Operations } from '../http/operation.ts'
import { deviceOperations } from './device-operations.ts'
import { ownAccountOperations } from './own-account-operations.ts'
import { secondFactorOperations } from './second-factor-operations.ts'
import { signInOperations } from './sign-in-operations.ts'

/** All routes of identity, for the description of the API. */
export const identityOperations: Operations = {
  ...signInOperations,
  ...secondFactorOperations,
  ...deviceOperations,
  ...ownAccountOperations,
}
