import { sealSecret } from '#db/brokers/secret-box.ts'
import { setSigningKey } from '#db/hooks/hooks.ts'
import { endSecretNow, insertSecret, type HookSecret } from '#db/hooks/secrets.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import { mintAccessToken } from '../http/access-token.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { audit } from '../identity/audit.ts'
import { addressOf, onHook, type HookDeps } from './commands.ts'

const SIGNING_KEY_BYTES = 32

/** Answers the address, which is never known again. `minutes`: for which the secret before stays good. */
export const makeSecret = (
  deps: HookDeps,
  caller: Caller,
  hookId: string,
  minutes: number,
): Promise<{ url: string; secret: HookSecret }> =>
  onHook(caller, hookId, async (inner, { name }, userId) => {
    const { token, hash } = mintAccessToken('dth')
    const secret = await insertSecret(inner, userId, hookId, { id: randomUUID(), hash }, minutes)
    await audit(inner, 'hook.secret_made', userId, caller, { hookId, name, secretId: secret.id, minutes })
    return { url: addressOf(deps, hookId, token), secret }
  })

export const endSecret = (caller: Caller, hookId: string, secretId: string): Promise<void> =>
  onHook(caller, hookId, async (inner, { name }, userId) => {
    if (!(await endSecretNow(inner, userId, hookId, secretId))) throw new ApiError('HOOK_SECRET_NOT_FOUND')
    await audit(inner, 'hook.secret_ended', userId, caller, { hookId, name, secretId })
  })

/** In hexadecimal digits, in the place of the key before. */
export const makeSigningKey = ({ secretKeys }: HookDeps, caller: Caller, hookId: string): Promise<string> =>
  onHook(caller, hookId, async (inner, { name }, userId) => {
    const key = randomBytes(SIGNING_KEY_BYTES).toString('hex')
    const place = { table: 'hooks', id: hookId, userId, field: 'signingKey' }
    await setSigningKey(inner, userId, hookId, sealSecret(secretKeys, place, key))
    await audit(inner, 'hook.signing_key_made', userId, caller, { hookId, name })
    return key
  })

export const removeSigningKey = (caller: Caller, hookId: string): Promise<void> =>
  onHook(caller, hookId, async (inner, { name }, userId) => {
    await setSigningKey(inner, userId, hookId, null)
    await audit(inner, 'hook.signing_key_removed', userId, caller, { hookId, name })
  })
