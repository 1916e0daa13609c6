import type Router from '@koa/router'
import { z } from 'zod'
import type { AccountConfiguration } from '../ledger/accounts.ts'
import { readAs, readJsonBody } from './body.ts'
import { requireKeys, type VenueParts, type VenueState } from './context.ts'
import { underFaults } from './scripted-answers.ts'

/** Left out or null: unchanged. Other keys are ignored, as by Alpaca. */
const change = z.object({
  no_shorting: z.boolean().nullish(),
  suspend_trade: z.boolean().nullish(),
  fractional_trading: z.boolean().nullish(),
  max_margin_multiplier: z
    .union([z.enum(['1', '2', '4']), z.literal([1, 2, 4]).transform((times) => `${times}`)])
    .nullish(),
  trade_confirm_email: z.enum(['all', 'none']).nullish(),
  ptp_no_exception_entry: z.boolean().nullish(),
  disable_overnight_trading: z.boolean().nullish(),
  max_options_trading_level: z.literal([0, 1, 2, 3]).nullish(),
})

export function addConfigurationRoutes(router: Router<VenueState>, parts: VenueParts): void {
  const keys = requireKeys(parts)

  router.get('/v2/account/configurations', keys, underFaults(parts, 'get'), (ctx) => {
    ctx.body = ctx.state.account.configuration
  })

  router.patch('/v2/account/configurations', keys, readJsonBody, underFaults(parts, 'get'), (ctx) => {
    const { account } = ctx.state
    const changes = Object.entries(readAs(change, ctx.state.body)).filter(([, value]) => value != null)
    const configuration = {
      ...account.configuration,
      ...(Object.fromEntries(changes) as Partial<AccountConfiguration>),
    }
    parts.exchange.accounts.configure(account.id, configuration)
    ctx.body = configuration
  })
}
