import type { RoutePolicy } from '#api/access/policy.ts'
import { ROUTES } from '#api/routes.ts'

/** By name, such as `GET /api/v1/orders/:orderId`. */
export const ACCESS_POLICY: Readonly<Record<string, RoutePolicy>> = Object.fromEntries(
  ROUTES.map(({ name, access }) => [name, access]),
)

/** Null where there is no such route. */
export const policyOf = (name: string): RoutePolicy | null =>
  Object.hasOwn(ACCESS_POLICY, name) ? ACCESS_POLICY[name]! : null
