import type { HookKind, HookSettings } from '#domain/hook/settings.ts'
import type { TokenBounds } from '#domain/risk/token-bounds.ts'
import type { EntityManager } from '../engine/database.ts'
import type { User } from '../entities/index.ts'
import { countedOf, findCounted, type Counted, type RequestCount } from '../identity/request-count.ts'
import { SECRET_IS_GOOD } from './secrets.ts'

export interface HookHolder {
  hookId: string
  name: string
  kind: HookKind
  settings: HookSettings
  requestsPerMinute: number
  /** Addresses, networks and names; empty: any. */
  addresses: string[]
  /** Sealed for place {table: hooks, id: hookId, userId, field: signingKey}. */
  sealedSigningKey: string | null
  /** Null where no secret was required. */
  secretId: string | null
  scopes: string[]
  bounds: TokenBounds
  isRefused: boolean
  userId: string
  tradingMode: User['tradingMode']
  plan: User['plan']
  role: User['role']
}

/**
 * Null, indistinguishably, for a missing or deleted hook, a wrong or ended secret, or a disabled owner. `secretHash`
 * null: by id only. `count.most`: the highest of all hooks; with an address list nothing counts, or a thief of the
 * secret could use up the rate.
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
