import type Router from '@koa/router'
import { z } from 'zod'
import { findAsset, listedAssets, symbolNamed } from '../assets.ts'
import { reject } from '../rejection.ts'
import { presentAsset } from '../wire/account.ts'
import { readAs } from './body.ts'
import { requireKeys, type VenueParts, type VenueState } from './context.ts'
import { underFaults } from './scripted-answers.ts'

export function addAssetRoutes(router: Router<VenueState>, parts: VenueParts): void {
  const guards = [requireKeys(parts), underFaults(parts, 'get')] as const

  router.get('/v2/assets', ...guards, (ctx) => {
    requireLookUp(parts, ctx.state.account.keyId, null)
    const { attributes, ...wanted } = readAs(assetsQuery, ctx.query)
    const isWanted = (asset: ReturnType<typeof presentAsset>): boolean =>
      (['status', 'class', 'exchange'] as const).every(
        (field) => wanted[field] === undefined || wanted[field] === asset[field],
      ) && attributes.every((attribute) => asset.attributes.includes(attribute))
    ctx.body = listedAssets().map(presentAsset).filter(isWanted)
  })

  router.get('/v2/assets/:symbol', ...guards, (ctx) => {
    const named = ctx.params['symbol']!
    const symbol = symbolNamed(named)
    requireLookUp(parts, ctx.state.account.keyId, symbol)
    const asset = findAsset(symbol)
    if (!asset) throw reject.notFound(`asset not found for ${named}`)
    ctx.body = presentAsset(asset)
  })

  router.get('/v2/options/contracts', ...guards, (ctx) => {
    readAs(contractsQuery, ctx.query)
    ctx.body = { option_contracts: [], next_page_token: null }
  })

  router.get('/v2/options/contracts/:contract', ...guards, (ctx) => {
    throw reject.notFound(`option contract not found for ${ctx.params['contract']!}`)
  })
}

/** Throws when the fault script disables look-ups. */
function requireLookUp({ faults }: Pick<VenueParts, 'faults'>, account: string, symbol: string | null): void {
  if (faults.drawConduct(['unsupported'], { account, symbol, clientOrderId: null }))
    throw reject.notImplemented('this venue offers no look-up of assets')
}

const ALPACA_EXCHANGES = [
  'AMEX',
  'ARCA',
  'ASCX',
  'BATS',
  'NYSE',
  'NASDAQ',
  'NYSEARCA',
  'FTXU',
  'CBSE',
  'GNSS',
  'ERSX',
  'OTC',
  'CRYPTO',
] as const
const ATTRIBUTES = [
  'ptp_no_exception',
  'ptp_with_exception',
  'ipo',
  'has_options',
  'options_late_close',
  'fractional_eh_enabled',
  'overnight_tradable',
  'overnight_halted',
] as const

const assetsQuery = z
  .object({
    status: z.enum(['active', 'inactive']).optional(),
    asset_class: z.enum(['us_equity', 'us_option', 'crypto', 'crypto_perp']).default('us_equity'),
    exchange: z.enum(ALPACA_EXCHANGES).optional(),
    attributes: z
      .string()
      .default('')
      .transform((text) => text.split(',').filter(Boolean))
      .pipe(z.array(z.enum(ATTRIBUTES))),
  })
  .transform(({ asset_class, ...rest }) => ({ class: asset_class, ...rest }))

const contractsQuery = z.object({
  status: z.enum(['active', 'inactive']).optional(),
  type: z.enum(['call', 'put']).optional(),
  style: z.enum(['american', 'european']).optional(),
  limit: z.coerce.number().int().min(1).max(10_000).optional(),
})
