import type { RouterContext } from '@koa/router'
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Next } from 'koa'
import type { VenueAccount } from '../ledger/accounts.ts'
import type { LedgerCopy } from '../ledger/copy.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { FaultScript } from '../faults/script.ts'
import type { MarketHours } from '../market-hours.ts'
import type { Market } from '../market.ts'
import { reject } from '../rejection.ts'
import type { RequestRate } from './request-rate.ts'

export interface VenueParts {
  exchange: Exchange
  market: Market
  hours: MarketHours
  faults: FaultScript
  copyLedger: () => LedgerCopy
  /** Undefined closes the control API. */
  controlSecret: string | undefined
  hostNames: readonly string[]
  now: () => number
  requests: RequestRate
}

export interface VenueState {
  account: VenueAccount
  body: unknown
  /** Arrival before any fault; epoch milliseconds. */
  cameAt: number
}
export type VenueContext = RouterContext<VenueState>

export const requireKeys =
  ({ exchange, requests }: VenueParts) =>
  async (ctx: VenueContext, next: Next): Promise<void> => {
    const account = accountWithKeys(exchange, ctx.get('APCA-API-KEY-ID'), ctx.get('APCA-API-SECRET-KEY'))
    if (!account) throw reject.unauthorized()
    ctx.state.account = account
    const standing = await requests(account.keyId)
    if (standing) ctx.set(standing.headers)
    if (standing?.isExceeded) throw reject.tooManyRequests()
    await next()
  }

export function accountWithKeys(exchange: Exchange, keyId: string, secretKey: string): VenueAccount | null {
  const account = exchange.accounts.findByKey(keyId)
  return account && timingSafeEqual(digest(account.secretKey), digest(secretKey)) ? account : null
}

export const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
