import type Router from '@koa/router'
import { z } from 'zod'
import { decimal, decimalPlaces, isDecimal, isPositive } from '#domain/money/decimal.ts'
import { findAsset } from '../assets.ts'
import type { VenueAccount } from '../ledger/accounts.ts'
import { faultScript } from '../faults/rule.ts'
import { reject } from '../rejection.ts'
import { instantText, presentOrder } from '../wire/order.ts'
import { readAs, readJsonBody } from './body.ts'
import type { VenueParts, VenueState } from './context.ts'
import { ledgerPage } from './ledger-page.ts'
import { requireControl } from './own-requests.ts'

const positiveAmount = z
  .union([z.string(), z.number()])
  .refine((value) => isDecimal(value) && isPositive(decimal(value)), 'must be a number > 0')
  .transform((value) => decimal(value))
const newAccount = z.strictObject({
  keyId: z.string().min(1).max(128),
  secretKey: z.string().min(1).max(256),
  cash: positiveAmount,
  type: z.enum(['margin', 'cash']).default('margin'),
})
const pinnedPrice = z.strictObject({
  price: positiveAmount.refine((price) => decimalPlaces(price) <= 4, 'must have at most 4 decimals'),
})
const ALL_ORDERS = 1_000_000

/** Page and health are open to this machine; other routes need the control secret. */
export function addOperatorRoutes(router: Router<VenueState>, parts: VenueParts): void {
  const { exchange, market, faults } = parts
  const control = requireControl(parts.controlSecret)

  router.get('/', (ctx) => {
    ctx.type = 'html'
    ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
    ctx.body = ledgerPage(parts)
  })

  router.get('/venue/health', (ctx) => {
    ctx.body = { status: 'ok', hours: parts.hours.mode, accounts: exchange.accounts.list().length }
  })

  router.post('/venue/accounts', control, readJsonBody, (ctx) => {
    const account = exchange.openAccount(readAs(newAccount, ctx.state.body))
    ctx.body = { id: account.id, keyId: account.keyId, type: account.type, cash: account.cash }
  })

  router.get('/venue/ledger', control, (ctx) => {
    const keyId = readAs(z.string({ error: 'account (a key id) is required' }), ctx.query['account'])
    const account = exchange.accounts.findByKey(keyId)
    if (!account) throw reject.notFound(`no account with key ${keyId}`)
    ctx.body = ledgerOf(parts, account)
  })

  router.get('/venue/ledger.sqlite', control, (ctx) => {
    const { stream, size } = parts.copyLedger()
    ctx.type = 'application/vnd.sqlite3'
    ctx.length = size
    ctx.body = stream
  })

  router.get('/venue/prices/:symbol', control, (ctx) => {
    const symbol = listedSymbol(ctx.params['symbol']!)
    ctx.body = { symbol, ...market.quote(symbol, parts.now()) }
  })

  router.put('/venue/prices/:symbol', control, readJsonBody, (ctx) => {
    const symbol = listedSymbol(ctx.params['symbol']!)
    market.pin(symbol, readAs(pinnedPrice, ctx.state.body).price)
    ctx.body = { symbol, ...market.quote(symbol, parts.now()) }
  })

  router.delete('/venue/prices/:symbol', control, (ctx) => {
    market.unpin(listedSymbol(ctx.params['symbol']!))
    ctx.status = 204
  })

  router.get('/venue/faults', control, (ctx) => {
    ctx.body = { rules: faults.list() }
  })

  router.put('/venue/faults', control, readJsonBody, (ctx) => {
    const { rules, seed } = readAs(faultScript, ctx.state.body)
    faults.replace(rules, seed)
    ctx.body = { rules: faults.list() }
  })

  router.delete('/venue/faults', control, (ctx) => {
    faults.replace([], 1)
    ctx.status = 204
  })
}

function ledgerOf({ exchange }: VenueParts, account: VenueAccount) {
  const fills = Map.groupBy(exchange.executions.fillsOf(account.id), ({ orderId }) => orderId)
  const orders = exchange.orders.list(account.id, {
    status: 'all',
    direction: 'asc',
    limit: ALL_ORDERS,
  })
  return {
    account: {
      id: account.id,
      keyId: account.keyId,
      type: account.type,
      cash: account.cash,
      openingCash: account.openingCash,
    },
    orders: orders.map((order) => ({
      ...presentOrder(order),
      sender_order_id: order.senderOrderId,
      fills: (fills.get(order.id) ?? []).map(({ id, qty, price, fee, positionQty, at }) => ({
        execution_id: id,
        qty,
        price,
        fee,
        position_qty: positionQty,
        at: instantText(at),
      })),
    })),
    positions: exchange.executions.positionsOf(account.id).map(({ symbol, qty, avgEntryPrice }) => ({
      symbol,
      qty,
      avg_entry_price: avgEntryPrice,
    })),
    submissions: exchange.submissions.listOf(account.id).map((submission) => ({
      client_order_id: submission.clientOrderId,
      outcome: submission.outcome,
      message: submission.message,
      order_id: submission.orderId,
      at: instantText(submission.at),
    })),
  }
}

function listedSymbol(symbol: string): string {
  if (!findAsset(symbol)) throw reject.notFound(`asset not found for ${symbol}`)
  return symbol
}
