import { listTokens, TOKEN_ORDER } from '#db/identity/token-management.ts'
import { UNBOUNDED } from '#domain/token-bounds.ts'
import { requireFreshProof } from '../access/fresh-proof.ts'
import { inPerson } from '../access/policy.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { listRoute, route } from '../route/route.ts'
import type { SignalDeps } from '../signals/deps.ts'
import { presentBounds, presentToken } from './record.ts'
import { changeToken, createToken, revokeOwnToken } from './token-commands.ts'
import { wordsOfRevoking } from '#contract/identity/words-of-revoking.ts'
import { tokenEndpoints, REVOKED } from '#contract/identity/token-endpoints.ts'

export const tokenRoutes = [
  listRoute(tokenEndpoints['GET /api/v1/tokens'], {
    access: inPerson(),
    list: { order: TOKEN_ORDER, rows: 'tokens', present: presentToken },
    run: ({ em, me, page }) => listTokens(em, me.userId, page),
  }),
  route(tokenEndpoints['POST /api/v1/tokens'], {
    access: inPerson({ fresh: true }),
    run: async ({ em, me, caller, body }) => {
      const { label, scopes, bounds = UNBOUNDED, mergesRepeats, expiresAt: asked = null } = body
      const wanted = { label, scopes, bounds, mergesRepeats, expiresAt: asked }
      const { createdAt, expiresAt, ...created } = await createToken(em, me.userId, wanted, caller)
      return {
        label,
        scopes,
        bounds: presentBounds(bounds),
        mergesRepeats,
        ...created,
        createdAt: toIsoInstant(createdAt),
        expiresAt: toIsoInstant(expiresAt),
      }
    },
  }),
  route(tokenEndpoints['PATCH /api/v1/tokens/:tokenId'], {
    access: inPerson(),
    run: async ({ em, me, caller, path: { tokenId: id }, body }) => {
      if (!body.mergesRepeats) requireFreshProof(me)
      await changeToken(em, me.userId, id, body, caller)
      return { id, mergesRepeats: body.mergesRepeats }
    },
  }),
  route(tokenEndpoints['DELETE /api/v1/tokens/:tokenId'], {
    access: inPerson(),
    deadline: 'within',
    run: async ({ caller, path, query }, deps: SignalDeps) => {
      const signals = await revokeOwnToken(deps, caller, path.tokenId, query.signals)
      return { message: wordsOfRevoking(REVOKED, query.signals, signals), signals }
    },
  }),
]
