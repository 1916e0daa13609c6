import { ORIGIN_RULES } from '#domain/signal/by-hand.ts'
import { PLANS_WITH_TOKENS } from '#domain/risk/token-bounds.ts'

/** SQL condition: a person approved; a declined signal has ended. */
const isApproved = (s: string): string => `(${s}.decided_by is not null)`

const scopeOf = (s: string): string =>
  `case when ${s}.ask is null then '${ORIGIN_RULES.sender.scope}' else '${ORIGIN_RULES.person.scope}' end`

/** SQL: `SenderDenial`, or null where the sender may open; as `findTokenHolder` and `isCoveredByPlan`. */
export const senderOfSignal = (s: string): string => `case
  when exists (select from users u where u.id = ${s}.user_id and u.disabled_at is not null) then 'USER_DISABLED'
  when ${s}.token_id is not null and not ${isApproved(s)} and not exists (
    select from access_tokens t join users u on u.id = t.user_id
    where t.id = ${s}.token_id and t.user_id = ${s}.user_id and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > now()) and ${scopeOf(s)} = any (t.scopes)
      and (t.kind = 'desktop' or u.plan in (${PLANS_WITH_TOKENS.map((plan) => `'${plan}'`).join(', ')})))
  then 'SENDER_REVOKED' end`

/** SQL: `TokenBounds`; none after an approval. */
export const boundsOfSignal = (s: string): string =>
  `coalesce((select t.bounds from access_tokens t where t.id = ${s}.token_id and not ${isApproved(s)}), '{}')`
