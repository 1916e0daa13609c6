import { listTokens, TOKEN_ORDER } from '#db/identity/token-management.ts'
import { principalOf } from '../http/context.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ApiError } from '../http/errors.ts'
import { presentPaging, readListQuery } from '../http/paging.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { isId } from '../http/validation/query.ts'
import { readBody } from '../http/validation/request-body.ts'
import { presentToken } from './record.ts'
import { tokenListQuery } from './list-schema.ts'
import { callerOf } from './requester.ts'
import * as schemas from './schema.ts'
import { createToken, revokeOwnToken } from './token-commands.ts'
import { RouteList } from '../http/route-list.ts'

/** Access tokens. */
export function tokenRoutes(): RouteList {
  const routes = new RouteList('/api/v1/tokens')

  routes.get('', async (ctx) => {
    const { page } = readListQuery(ctx, tokenListQuery, TOKEN_ORDER)
    const slice = await listTokens(ctx.state.em, principalOf(ctx).userId, page)
    const tokens = slice.items.map(presentToken)
    ctx.body = standardSuccess({ tokens, ...presentPaging(slice, page) }, ctx.state.requestId)
  })

  routes.post('', async (ctx) => {
    const { label, scopes, expiresAt = null } = await readBody(ctx, schemas.tokenCreation)
    const { userId } = principalOf(ctx)
    const created = await createToken(ctx.state.em, userId, { label, scopes, expiresAt }, callerOf(ctx))
    ctx.status = 201
    const { id, token, prefix } = created
    const dates = { createdAt: toIsoInstant(created.createdAt), expiresAt: toIsoInstant(created.expiresAt) }
    ctx.body = standardSuccess({ id, label, scopes, prefix, ...dates, token }, ctx.state.requestId)
  })

  routes.delete('/:tokenId', async (ctx) => {
    const { tokenId } = ctx.params
    if (!isId(tokenId)) throw new ApiError('TOKEN_NOT_FOUND')
    await revokeOwnToken(ctx.state.em, principalOf(ctx).userId, tokenId, callerOf(ctx))
    ctx.body = standardSuccess({ message: 'The token is revoked' }, ctx.state.requestId)
  })

  return routes
}
