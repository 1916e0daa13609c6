import type { Context, Middleware } from 'koa'
import { Histogram, Registry } from 'prom-client'

/** For requests without a route, whose address could be anything. */
const NO_VENUE_ROUTE = 'none'

export interface VenueMetrics {
  /** By route, not by address, which holds ids. */
  observe: Middleware
  serve(ctx: Context): Promise<void>
}

export function createVenueMetrics(): VenueMetrics {
  const registry = new Registry()
  const durations = new Histogram({
    name: 'durable_trader_venue_request_duration_seconds',
    help: 'Requests to the paper venue, by route and HTTP status, without those that a fault has cut off',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  return {
    async observe(ctx, next) {
      const began = performance.now()
      await next()
      if (ctx.respond === false) return
      const { _matchedRoute: matched, status } = ctx as { _matchedRoute?: unknown; status: number }
      const route = typeof matched === 'string' ? `${ctx.method} ${matched}` : NO_VENUE_ROUTE
      durations.observe({ route, status }, (performance.now() - began) / 1_000)
    },
    async serve(ctx) {
      ctx.type = registry.contentType
      ctx.body = await registry.metrics()
    },
  }
}
