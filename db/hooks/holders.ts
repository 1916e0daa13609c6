import type { HookKind, HookSettings } from '#domain/hook/settings.ts'
import type { TokenBounds } from '#domain/token-bounds.ts'
import type { EntityManager } from '../engine/database.ts'
import type { User } from '../entities/index.ts'
import { countedOf, findCounted, type Counted, type RequestCount } from '../identity/request-count.ts'
import { SECRET_IS_GOOD } from './secrets.ts'

/** A usable hook and its owner, as one query finds them. */
export interface HookHolder {
  /** Of the hook, and of the access token that is its authority. */
  hookId: string
  name: string
  kind: HookKind
  settings: HookSettings
  requestsPerMinute: number
  /** Addresses, networks, and words that stand for the addresses of a sender; empty for any. */
  addresses: string[]
  /** Of senders that sign; null where there is none. Sealed for place {table: hooks, id: hookId, userId, field: signingKey}. */
  sealedSigningKey: string | null
  /** The secret by which it was found; null where none was asked for. */
  secretId: string | null
  scopes: string[]
  bounds: TokenBounds
  /** Its last request was refused. */
  isRefused: boolean
  userId: string
  tradingMode: User['tradingMode']
  plan: User['plan']
  role: User['role']
}

/**
 * The holder of a hook; null where there is none, it is deleted, the secret is none of its own or has ended, or its owner is disabled:
 * these cannot be told apart. Asked on every request, so that each takes effect at once.
 *
 * @param secretHash null where the hook is looked for by its id alone: for a signed request, and what is carried out later
 * @param count counts the request of the hook that is found. Each hook has a rate of its own, so that its `most` has to be the
 *   highest that there is, and what was counted is compared with the hook's. Where the owner has listed addresses nothing is counted
 *   here: a thief of the secret who sends from elsewhere is to use up nothing of the hook
 */
export async function findHookHolder(
  em: EntityManager,
  hookId: string,
  secretHash: string | null,
  count: RequestCount | null,
): Promise<{ holder: HookHolder; counted: Counted | null } | null> {
  const isById = secretHash === null
  const finding = {
    sql: `select h.id as "hookId", h.name, h.kind, h.settings, h.requests_per_minute as "requestsPerMinute", h.addresses,
            h.sealed_signing_key as "sealedSigningKey", ${isById ? 'null::uuid' : 's.id'} as "secretId",
            t.scopes, t.bounds, t.refused_since is not null as "isRefused",
            u.id as "userId", u.trading_mode as "tradingMode", u.plan, u.role
     from hooks h join access_tokens t on t.id = h.id join users u on u.id = h.user_id
       ${isById ? '' : `join hook_secrets s on s.hook_id = h.id and s.hash = ? and ${SECRET_IS_GOOD}`}
     where h.id = ? and t.revoked_at is null and u.disabled_at is null`,
    parameters: isById ? [hookId] : [secretHash, hookId],
  }
  const [holder] = await findCounted<HookHolder>(em, finding, `'token:', "hookId"`, count, `addresses = '{}'`)
  return holder ? { holder, counted: countedOf(holder) } : null
}
