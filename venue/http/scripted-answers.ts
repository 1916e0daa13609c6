import { once } from 'node:events'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Next } from 'koa'
import { knownToRulesAs, type VenueOrder } from '../ledger/orders.ts'
import type { AnswerFault, Operation } from '../faults/rule.ts'
import { Rejection } from '../rejection.ts'
import type { VenueContext, VenueParts } from './context.ts'

type Subject = { symbol: string | null; clientOrderId: string | null }

export const underFaults =
  (parts: VenueParts, operation: Operation) =>
  async (ctx: VenueContext, next: Next): Promise<void> => {
    const { faults, exchange } = parts
    const { account } = ctx.state
    ctx.state.cameAt = parts.now()
    if (faults.isEmpty) return void (await next())
    const target = { account: account.keyId, ...subjectOf(ctx, parts, operation) }
    const fault = faults.drawAnswer(operation, target)
    if (!fault) return void (await next())
    if (fault.mode === 'late') {
      // The request still arrives if its sender hangs up.
      await sleep(fault.hangMs, undefined, { ref: false })
      return void (await next())
    }
    if (fault.when === 'after') await takeEffect(next)
    else if (operation === 'submit') exchange.recordUnreceived(account.id, ctx.state.body, fault.mode)
    await spoil(ctx, fault)
  }

async function takeEffect(next: Next): Promise<void> {
  try {
    await next()
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
  }
}

async function spoil(ctx: VenueContext, fault: AnswerFault): Promise<void> {
  const { socket } = ctx.req
  const answer = (status: number, body: string) => {
    ctx.status = status
    ctx.type = 'application/json'
    ctx.body = body
    if (fault.retryAfterSeconds !== undefined) ctx.set('Retry-After', String(fault.retryAfterSeconds))
  }
  switch (fault.mode) {
    case 'hang':
      ctx.respond = false
      await Promise.race([sleep(fault.hangMs, undefined, { ref: false }), once(socket, 'close')])
      socket.destroy()
      return
    case 'reset':
      ctx.respond = false
      if (socket instanceof Socket) socket.resetAndDestroy()
      return
    case 'garbage':
      return answer(200, '{"id": "<html><body>upstream')
    case '429':
      return answer(429, JSON.stringify({ code: 42910000, message: 'rate limit exceeded' }))
    case '500':
      return answer(500, JSON.stringify({ code: 50010000, message: 'internal server error occurred' }))
    case '503':
      return answer(503, JSON.stringify({ code: 50310000, message: 'service unavailable' }))
    case 'late':
      throw new Error('A late request is handled, not spoiled')
  }
}

function subjectOf(ctx: VenueContext, { exchange }: VenueParts, operation: Operation): Subject {
  if (operation === 'submit') return subjectOfBody(ctx)
  if (operation === 'lookup') {
    const clientOrderId = String(ctx.query['client_order_id'] ?? '')
    const order = exchange.orders.findByClientOrderId(ctx.state.account.id, clientOrderId)
    return { clientOrderId, symbol: order?.symbol ?? null }
  }
  const id = ctx.params['id']
  return id === undefined
    ? subjectOfPath(ctx)
    : subjectOfOrder(exchange.orders.find(ctx.state.account.id, id))
}

function subjectOfBody(ctx: VenueContext): Subject {
  const body = ctx.state.body
  if (typeof body !== 'object' || body === null) return subjectOfPath(ctx)
  const textOf = (name: string) => {
    const value: unknown = (body as Record<string, unknown>)[name]
    return typeof value === 'string' ? value : null
  }
  return { symbol: textOf('symbol'), clientOrderId: textOf('client_order_id') }
}

const subjectOfPath = (ctx: VenueContext): Subject => ({
  symbol: ctx.params['symbol'] ?? null,
  clientOrderId: null,
})

const subjectOfOrder = (order: VenueOrder | null): Subject => ({
  symbol: order?.symbol ?? null,
  clientOrderId: order && knownToRulesAs(order),
})
