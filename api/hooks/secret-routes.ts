import { inPerson } from '../access/policy.ts'
import { route } from '../route/route.ts'
import type { HookDeps } from './commands.ts'
import { presentSecret } from './record.ts'
import { endSecret, makeSecret, makeSigningKey, removeSigningKey } from './secret-commands.ts'
import { hookSecretEndpoints, ENDED, UNSIGNED } from '#contract/hooks/secret-endpoints.ts'

export const hookSecretRoutes = [
  route(hookSecretEndpoints['POST /api/v1/hooks/:hookId/secrets'], {
    access: inPerson({ fresh: true }),
    run: async ({ caller, path: { hookId }, body }, deps: HookDeps) => {
      const { url, secret } = await makeSecret(deps, caller, hookId, body.endsOthersAfter)
      return { url, secret: presentSecret(secret) }
    },
  }),
  route(hookSecretEndpoints['DELETE /api/v1/hooks/:hookId/secrets/:secretId'], {
    access: inPerson(),
    run: async ({ caller, path: { hookId, secretId } }) => {
      await endSecret(caller, hookId, secretId)
      return { message: ENDED }
    },
  }),
  route(hookSecretEndpoints['POST /api/v1/hooks/:hookId/signing-key'], {
    access: inPerson({ fresh: true }),
    run: async ({ caller, path: { hookId } }, deps: HookDeps) => ({
      key: await makeSigningKey(deps, caller, hookId),
    }),
  }),
  route(hookSecretEndpoints['DELETE /api/v1/hooks/:hookId/signing-key'], {
    access: inPerson(),
    run: async ({ caller, path: { hookId } }) => {
      await removeSigningKey(caller, hookId)
      return { message: UNSIGNED }
    },
  }),
]
