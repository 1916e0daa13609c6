import { submissionBody } from '#brokers/alpaca/orders.ts'
import { submissionError } from '#brokers/alpaca/rejections.ts'
import type { BrokerAsset, Quote } from '#brokers/port.ts'
import { negate } from '#domain/decimal.ts'
import type { LastPrice } from '#domain/market-price.ts'
import type { OrderReport, OrderRequest } from '#domain/order.ts'
import { findAsset } from '#venue/assets.ts'
import { admit } from '#venue/exchange/account-rules.ts'
import { placementOf } from '#venue/exchange/placement.ts'
import { readOrderTicket } from '#venue/exchange/order-ticket.ts'
import { MarketHours } from '#venue/market-hours.ts'
import { Rejection } from '#venue/rejection.ts'
import { ScriptedBroker } from './scripted-broker.ts'

/** Dollars a share of every symbol that there is. */
export const PRICE = '100'

/** A broker in memory that refuses what the paper venue refuses, for the positions that it is given. */
export class VenueRulesBroker extends ScriptedBroker {
  /** When orders arrive, in the hours of the exchange; milliseconds since the epoch. */
  arriveAt = Date.now()

  override async submitOrder(request: OrderRequest): Promise<OrderReport> {
    try {
      const ticket = readOrderTicket(JSON.parse(submissionBody(request)))
      const asset = findAsset(request.symbol)
      if (asset === null) throw new Rejection(422, 42210000, `asset ${request.symbol} not found`)
      placementOf(ticket, new MarketHours('nyse'), this.arriveAt)
      admit(ticket, asset, {
        account: {
          id: 'account',
          keyId: 'key',
          secretKey: 'secret',
          type: 'margin',
          cash: '100000000',
          openingCash: '100000000',
          lastEquity: '100000000',
          tradingDay: '2026-03-02',
          createdAt: 0,
        },
        positions: this.positions.map(({ symbol, side, quantity }) => ({
          accountId: 'account',
          symbol,
          qty: side === 'LONG' ? quantity : negate(quantity),
          avgEntryPrice: PRICE,
        })),
        workingOrders: [],
        quoteOf: () => ({ bid: PRICE, ask: PRICE, last: PRICE }),
      })
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      const { status, code, message, details } = error
      throw submissionError({ status, headers: {}, body: JSON.stringify({ code, message, ...details }) })
    }
    return super.submitOrder(request)
  }

  override async getAsset(symbol: string): Promise<BrokerAsset | null> {
    const listed = findAsset(symbol)
    return (
      listed && {
        ...(await super.getAsset(symbol))!,
        assetClass: listed.assetClass,
        tradable: listed.isTradable,
        shortable: listed.isShortable,
        fractionable: listed.isFractionable,
      }
    )
  }

  override async getLastPrice(symbol?: string): Promise<LastPrice | null> {
    if (this.priceTrouble) throw this.priceTrouble
    const isListed = symbol === undefined || findAsset(symbol) !== null
    return isListed ? { price: PRICE, at: this.pricedAt ?? new Date(this.arriveAt).toISOString() } : null
  }

  override async getQuotes(symbols: readonly string[]): Promise<Quote[]> {
    const quotes = await super.getQuotes(symbols)
    const now = new Date(this.arriveAt).toISOString()
    return this.quote === null ? quotes.map((quote) => ({ ...quote, quotedAt: now })) : quotes
  }
}
