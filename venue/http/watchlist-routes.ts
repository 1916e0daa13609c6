import type Router from '@koa/router'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { findAsset } from '../assets.ts'
import type { VenueWatchlist } from '../ledger/watchlists.ts'
import { reject } from '../rejection.ts'
import { presentAsset } from '../wire/account.ts'
import { instantText } from '../wire/order.ts'
import { readAs, readJsonBody } from './body.ts'
import { requireKeys, type VenueContext, type VenueParts, type VenueState } from './context.ts'
import { underFaults } from './scripted-answers.ts'

const MAX_WATCHLISTS = 200
const MAX_WATCHED_SYMBOLS = 500

const name = z.string().min(1).max(64)
const symbol = z.string().refine((text) => findAsset(text) !== null, { error: 'asset not found' })
const symbols = z.array(symbol).max(MAX_WATCHED_SYMBOLS)
const newList = z.object({ name, symbols: symbols.nullish().transform((list) => list ?? []) })
const changedList = z.object({ name: name.nullish(), symbols: symbols.nullish() })
const oneSymbol = z.object({ symbol })

export function addWatchlistRoutes(router: Router<VenueState>, parts: VenueParts): void {
  const { watchlists } = parts.exchange
  const guards = [requireKeys(parts), underFaults(parts, 'get')] as const
  const guardsWithBody = [requireKeys(parts), readJsonBody, underFaults(parts, 'get')] as const

  const save = (ctx: VenueContext, list: VenueWatchlist): void => {
    const others = watchlists.listOf(list.accountId).filter(({ id }) => id !== list.id)
    if (others.some((other) => other.name === list.name))
      throw reject.unprocessable('watchlist name must be unique')
    if (others.length >= MAX_WATCHLISTS) throw reject.unprocessable('there are too many watchlists')
    if (list.symbols.length > MAX_WATCHED_SYMBOLS)
      throw reject.unprocessable('the watchlist has too many symbols')
    const saved = { ...list, symbols: [...new Set(list.symbols)] }
    watchlists.save(saved)
    ctx.body = present(saved)
  }

  router.get('/v2/watchlists', ...guards, (ctx) => {
    ctx.body = watchlists.listOf(ctx.state.account.id).map(presentWithoutAssets)
  })

  router.post('/v2/watchlists', ...guardsWithBody, (ctx) => {
    const at = parts.now()
    const wanted = readAs(newList, ctx.state.body)
    save(ctx, { ...wanted, id: randomUUID(), accountId: ctx.state.account.id, createdAt: at, updatedAt: at })
  })

  for (const path of ['/v2/watchlists/:id', '/v2/watchlists\\:by_name']) {
    const listOf = (ctx: VenueContext): VenueWatchlist => {
      const { id } = ctx.params
      const list = watchlists
        .listOf(ctx.state.account.id)
        .find((each) => (id === undefined ? each.name === ctx.query['name'] : each.id === id))
      if (!list) throw reject.notFound('watchlist not found')
      return list
    }

    router.get(path, ...guards, (ctx) => {
      ctx.body = present(listOf(ctx))
    })

    router.put(path, ...guardsWithBody, (ctx) => {
      const list = listOf(ctx)
      const changed = readAs(changedList, ctx.state.body)
      save(ctx, {
        ...list,
        name: changed.name ?? list.name,
        symbols: changed.symbols ?? list.symbols,
        updatedAt: parts.now(),
      })
    })

    router.post(path, ...guardsWithBody, (ctx) => {
      const list = listOf(ctx)
      const added = readAs(oneSymbol, ctx.state.body)
      save(ctx, { ...list, symbols: [...list.symbols, added.symbol], updatedAt: parts.now() })
    })

    router.delete(path, ...guards, (ctx) => {
      watchlists.delete(listOf(ctx).id)
      ctx.status = 204
    })

    router.delete(`${path}/:symbol`, ...guards, (ctx) => {
      const list = listOf(ctx)
      const remaining = list.symbols.filter((each) => each !== ctx.params['symbol'])
      if (remaining.length === list.symbols.length)
        throw reject.notFound('the symbol is not in the watchlist')
      save(ctx, { ...list, symbols: remaining, updatedAt: parts.now() })
    })
  }
}

const presentWithoutAssets = ({ id, accountId, name: called, createdAt, updatedAt }: VenueWatchlist) => ({
  id,
  account_id: accountId,
  name: called,
  created_at: instantText(createdAt),
  updated_at: instantText(updatedAt),
})

const present = (list: VenueWatchlist) => ({
  ...presentWithoutAssets(list),
  assets: list.symbols.flatMap((each) => findAsset(each) ?? []).map(presentAsset),
})
