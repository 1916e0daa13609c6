import type Router from '@koa/router'
import { z } from 'zod'
import { addDays, isLocalDate } from '#domain/wall-time.ts'
import { reject } from '../rejection.ts'
import { readAs } from './body.ts'
import { requireKeys, type VenueParts, type VenueState } from './context.ts'
import { symbolList } from './history-page.ts'
import { underFaults } from './scripted-answers.ts'

const MAX_ANNOUNCED_DAYS = 90

const localDate = z.string().refine(isLocalDate, 'must be a date such as 2026-01-31')
const listOf = <const Values extends readonly string[]>(values: Values) =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(values)))
const announcementQuery = z
  .object({
    ca_types: listOf(['dividend', 'merger', 'spinoff', 'split']),
    since: localDate,
    until: localDate,
    symbol: z.string().optional(),
    cusip: z.string().optional(),
    date_type: z.enum(['declaration_date', 'ex_date', 'record_date', 'payable_date']).optional(),
  })
  .refine(({ since, until }) => since <= until, 'since must not be after until')
  .refine(
    ({ since, until }) => until <= addDays(since, MAX_ANNOUNCED_DAYS),
    `the date range is limited to ${MAX_ANNOUNCED_DAYS} days`,
  )
const actionQuery = z.object({
  symbols: symbolList.optional(),
  start: localDate.optional(),
  end: localDate.optional(),
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
  sort: z.enum(['asc', 'desc']).optional(),
})

/** Alpaca's paths and shapes: there are no corporate actions here. */
export function addAnnouncementRoutes(router: Router<VenueState>, parts: VenueParts): void {
  const guards = [requireKeys(parts), underFaults(parts, 'get')] as const

  router.get('/v2/corporate_actions/announcements', ...guards, (ctx) => {
    readAs(announcementQuery, ctx.query)
    ctx.body = []
  })

  router.get('/v2/corporate_actions/announcements/:id', ...guards, () => {
    throw reject.notFound('announcement not found')
  })

  router.get('/v1/corporate-actions', ...guards, (ctx) => {
    readAs(actionQuery, ctx.query)
    ctx.body = { corporate_actions: {}, next_page_token: null }
  })
}
