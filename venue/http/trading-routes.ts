import type Router from '@koa/router'
import { z } from 'zod'
import { compare, decimal, isDecimal, isPositive, isZero, multiply } from '#domain/money/decimal.ts'
import { findAsset, symbolNamed } from '../assets.ts'
import type { VenuePosition } from '../ledger/executions.ts'
import { availableQty, type Balances } from '../exchange/margin.ts'
import { reject, Rejection, rejectionBody } from '../rejection.ts'
import { presentAccount, presentPosition } from '../wire/account.ts'
import { presentNested, presentOrder } from '../wire/order.ts'
import { instant, readAs, readJsonBody } from './body.ts'
import { requireKeys, type VenueContext, type VenueParts, type VenueState } from './context.ts'
import { underFaults } from './scripted-answers.ts'
import type { VenueAccount } from '../ledger/accounts.ts'
import type { VenueOrder } from '../ledger/orders.ts'

/** Positions may lag behind fills, by the fault script. */
function shownPositions(parts: VenueParts, account: VenueAccount): VenuePosition[] {
  const { exchange, faults } = parts
  const positions = exchange.executions.positionsOf(account.id)
  if (faults.isEmpty) return positions
  const traded = new Set(exchange.executions.fillsOf(account.id).map(({ symbol }) => symbol))
  return [...traded].toSorted().flatMap((symbol) => shownPosition(parts, account, symbol) ?? [])
}

function shownPosition(
  { exchange, faults, now }: VenueParts,
  { id, keyId }: VenueAccount,
  symbol: string,
): VenuePosition | null {
  const position = exchange.executions.position(id, symbol)
  const rule = faults.drawConduct(['behind'], { account: keyId, symbol, clientOrderId: null })
  if (!rule) return position
  const until = now() - rule.lagMs
  const last = exchange.executions.fillsOf(id).findLast((fill) => fill.symbol === symbol && fill.at <= until)
  if (!last || isZero(last.positionQty)) return null
  const avgEntryPrice = position?.avgEntryPrice ?? last.price
  return { accountId: id, symbol, qty: last.positionQty, avgEntryPrice }
}

/** Equity may be multiplied, by the fault script. */
function shownBalances({ exchange, faults }: VenueParts, account: VenueAccount): Balances {
  const balances = exchange.balances(account)
  const target = { account: account.keyId, symbol: null, clientOrderId: null }
  const rule = faults.drawConduct(['equity'], target)
  return rule ? { ...balances, equity: multiply(balances.equity, decimal(rule.factor)) } : balances
}

const MAX_ORDERS_A_PAGE = 500
/** Python's clients write True. */
const flag = z
  .string()
  .default('false')
  .transform((text) => text.toLowerCase() === 'true')
const orderQuery = z.object({
  nested: flag,
  status: z.enum(['open', 'closed', 'all']).default('open'),
  limit: z.coerce.number().int().min(1).max(MAX_ORDERS_A_PAGE).default(50),
  after: instant.optional(),
  until: instant.optional(),
  direction: z.enum(['asc', 'desc']).default('desc'),
  symbols: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter(Boolean)),
  side: z.enum(['buy', 'sell']).optional(),
})
const positiveDecimal = z
  .string()
  .refine((text) => isDecimal(text) && isPositive(decimal(text)), 'must be a number > 0')
  .transform((text) => decimal(text))
const closeQuery = z
  .object({ qty: positiveDecimal.optional(), percentage: positiveDecimal.optional() })
  .refine(({ qty, percentage }) => qty === undefined || percentage === undefined, {
    error: 'only one of qty or percentage is accepted',
  })
  .refine(({ percentage }) => percentage === undefined || compare(percentage, '100') <= 0, {
    error: 'percentage must be between 0 and 100',
  })
const closeAllQuery = z.object({ cancel_orders: flag })

export function addTradingRoutes(router: Router<VenueState>, parts: VenueParts): void {
  const { exchange } = parts
  const keys = requireKeys(parts)
  const withLegs = (order: VenueOrder) => presentNested(order, exchange.legsOf(order))

  router.get('/v2/account', keys, underFaults(parts, 'get'), (ctx) => {
    const { account } = ctx.state
    ctx.body = presentAccount(account, shownBalances(parts, account))
  })

  router.post('/v2/orders', keys, readJsonBody, underFaults(parts, 'submit'), (ctx) => {
    ctx.body = withLegs(exchange.submit(ctx.state.account.id, ctx.state.body, ctx.state.cameAt))
  })

  router.patch('/v2/orders/:id', keys, readJsonBody, underFaults(parts, 'replace'), (ctx) => {
    ctx.body = withLegs(exchange.replace(ctx.state.account.id, ctx.params['id']!, ctx.state.body))
  })

  router.get('/v2/orders', keys, underFaults(parts, 'get'), (ctx) => {
    const query = readAs(orderQuery, ctx.query)
    const orders = exchange.orders.list(ctx.state.account.id, query)
    ctx.body = orders.map((order) => (query.nested ? withLegs(order) : presentOrder(order)))
  })

  router.get('/v2/orders\\:by_client_order_id', keys, underFaults(parts, 'lookup'), (ctx) => {
    const clientOrderId = readAs(
      z.string({ error: 'client_order_id is required' }),
      ctx.query['client_order_id'],
    )
    const order = exchange.findOrderByClientId(ctx.state.account.id, clientOrderId)
    if (!order) throw reject.notFound(`order not found for ${clientOrderId}`)
    ctx.body = readAs(flag, ctx.query['nested']) ? withLegs(order) : presentOrder(order)
  })

  router.get('/v2/orders/:id', keys, underFaults(parts, 'get'), (ctx) => {
    const id = ctx.params['id']!
    const order = exchange.orders.find(ctx.state.account.id, id)
    if (!order) throw reject.notFound(`order not found for ${id}`)
    ctx.body = readAs(flag, ctx.query['nested']) ? withLegs(order) : presentOrder(order)
  })

  router.delete('/v2/orders/:id', keys, underFaults(parts, 'cancel'), (ctx) => {
    exchange.cancel(ctx.state.account.id, ctx.params['id']!)
    ctx.status = 204
  })

  router.delete('/v2/orders', keys, underFaults(parts, 'cancel'), (ctx) => {
    const ids = exchange.cancelAll(ctx.state.account.id)
    ctx.status = 207
    ctx.body = ids.map((id) => ({ id, status: 200 }))
  })

  router.get('/v2/positions', keys, underFaults(parts, 'get'), (ctx) => {
    ctx.body = shownPositions(parts, ctx.state.account).map((position) => presentHeld(parts, position))
  })

  router.get('/v2/positions/:symbol', keys, underFaults(parts, 'get'), (ctx) => {
    ctx.body = presentHeld(parts, positionIn(ctx, parts))
  })

  router.delete('/v2/positions', keys, underFaults(parts, 'submit'), (ctx) => {
    const { id } = ctx.state.account
    if (readAs(closeAllQuery, ctx.query).cancel_orders) exchange.cancelAll(id)
    ctx.status = 207
    ctx.body = exchange.executions.positionsOf(id).map(({ symbol }) => {
      try {
        return { symbol, status: 200, body: presentOrder(exchange.closePosition(id, symbol, {})) }
      } catch (error) {
        if (!(error instanceof Rejection)) throw error
        return { symbol, status: error.status, body: rejectionBody(error) }
      }
    })
  })

  router.delete('/v2/positions/:symbol', keys, underFaults(parts, 'submit'), (ctx) => {
    const { qty, percentage } = readAs(closeQuery, ctx.query)
    const order = exchange.closePosition(ctx.state.account.id, symbolNamed(ctx.params['symbol']!), {
      ...(qty !== undefined && { qty }),
      ...(percentage !== undefined && { percentage }),
    })
    ctx.body = presentOrder(order)
  })
}

function positionIn(ctx: VenueContext, parts: VenueParts): VenuePosition {
  const position = shownPosition(parts, ctx.state.account, symbolNamed(ctx.params['symbol']!))
  if (!position) throw reject.notFound('position does not exist')
  return position
}

function presentHeld({ exchange, market, hours, now }: VenueParts, position: VenuePosition) {
  const at = now()
  return presentPosition(position, findAsset(position.symbol), {
    available: availableQty(position, exchange.orders.workingOf(position.accountId)),
    price: market.quote(position.symbol, at).last,
    lastDayPrice: market.quote(position.symbol, hours.previousSession(at).closesAt).last,
  })
}
