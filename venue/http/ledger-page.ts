import { multiply, negate, round, subtract, type Decimal } from '#domain/money/decimal.ts'
import type { VenueAccount } from '../ledger/accounts.ts'
import { instantText, presentOrder } from '../wire/order.ts'
import type { VenueParts } from './context.ts'

const RECENT_ROWS = 50

export function ledgerPage(parts: VenueParts): string {
  const accounts = parts.exchange.accounts.list()
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>Paper venue</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>Paper venue</h1><p>${escape(phaseLine(parts))}</p></header>
<main>${accounts.map((account) => accountSection(parts, account)).join('\n')}</main>
</body>
</html>`
}

function phaseLine({ hours, now }: VenueParts): string {
  const at = now()
  const mode = hours.mode === 'always' ? 'trades at any time of any day' : 'keeps the hours of the NYSE'
  return `${hours.phaseAt(at) === 'regular' ? 'Open' : 'Closed'} at ${instantText(at)} · ${mode}`
}

function accountSection(parts: VenueParts, account: VenueAccount): string {
  const { exchange } = parts
  const balances = exchange.balances(account)
  return `<section>
<h2>${escape(account.keyId)} <small>${account.type} account</small></h2>
<dl>
${figure('Equity', money(balances.equity))}
${figure('Cash', money(account.cash))}
${figure('Buying power', money(balances.buyingPower))}
${figure('Long', money(balances.longMarketValue))}
${figure('Short', money(balances.shortMarketValue))}
</dl>
<h3>Positions</h3>${positionsTable(parts, account)}
<h3>Recent orders</h3>${ordersTable(parts, account)}
<h3>Recent fills</h3>${fillsTable(parts, account)}
</section>`
}

function positionsTable({ exchange, market, now }: VenueParts, account: VenueAccount): string {
  const rows = exchange.executions.positionsOf(account.id).map(({ symbol, qty, avgEntryPrice }) => {
    const price = market.quote(symbol, now()).last
    const gain = multiply(qty, subtract(price, avgEntryPrice))
    return [symbol, qty, round(avgEntryPrice, 4), price, money(multiply(qty, price)), money(gain)]
  })
  return table(['Symbol', 'Shares', 'Average', 'Price', 'Value', 'Gain'], rows, 1)
}

function ordersTable({ exchange }: VenueParts, account: VenueAccount): string {
  const orders = exchange.orders.list(account.id, {
    status: 'all',
    direction: 'desc',
    limit: RECENT_ROWS,
  })
  const rows = orders
    .map(presentOrder)
    .map((order) => [
      order.created_at,
      order.client_order_id,
      order.symbol,
      `${order.side} ${order.type} ${order.time_in_force}`,
      order.status,
      order.qty ?? `$${order.notional}`,
      order.limit_price ?? order.stop_price ?? '',
      order.filled_qty,
      order.filled_avg_price ?? '',
    ])
  const headings = [
    'Received',
    'Client order id',
    'Symbol',
    'Order',
    'Status',
    'Shares',
    'At',
    'Filled',
    'Average',
  ]
  return table(headings, rows, 5)
}

function fillsTable({ exchange }: VenueParts, account: VenueAccount): string {
  const rows = exchange.executions.recentFillsOf(account.id, RECENT_ROWS).map((fill) => {
    const cash = multiply(fill.qty, fill.price)
    return [
      instantText(fill.at),
      fill.symbol,
      fill.side,
      fill.qty,
      fill.price,
      money(fill.side === 'buy' ? negate(cash) : cash),
      fill.fee,
      fill.positionQty,
    ]
  })
  return table(['At', 'Symbol', 'Side', 'Shares', 'Price', 'Cash', 'Fee', 'Position after'], rows, 3)
}

function table(headings: readonly string[], rows: readonly string[][], firstNumber: number): string {
  if (rows.length === 0) return '<p class="none">none</p>'
  const cell = (tag: 'th' | 'td') => (text: string, column: number) =>
    `<${tag}${column >= firstNumber ? ' class="number"' : ''}>${escape(text)}</${tag}>`
  return `<div class="scroll"><table>
<thead><tr>${headings.map(cell('th')).join('')}</tr></thead>
<tbody>${rows.map((row) => `<tr>${row.map(cell('td')).join('')}</tr>`).join('\n')}</tbody>
</table></div>`
}

const figure = (name: string, value: string): string =>
  `<div><dt>${escape(name)}</dt><dd>${escape(value)}</dd></div>`

function money(amount: Decimal): string {
  const [whole = '0', cents = ''] = round(amount, 2).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${grouped}.${cents.padEnd(2, '0')}`
}

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => HTML_ENTITIES[character]!)

const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 15%, transparent) }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 76rem; padding: 1.5rem }
h1 { margin: 0; font-size: 1.5rem } h2 { margin: 2.5rem 0 .5rem; font-size: 1.2rem }
h3 { margin: 1.5rem 0 .25rem; font-size: 1rem } small, .none, header p { opacity: .7; font-weight: normal }
header p { margin: 0 } dl { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; margin: 0 }
dt { font-size: .8rem; opacity: .7 } dd { margin: 0; font-size: 1.15rem; font-variant-numeric: tabular-nums }
.scroll { overflow-x: auto } table { border-collapse: collapse; width: 100%; white-space: nowrap }
th, td { text-align: left; padding: .3rem 1rem .3rem 0; border-bottom: 1px solid var(--line) }
th { font-size: .8rem; opacity: .7; font-weight: 600 }
.number { text-align: right; font-variant-numeric: tabular-nums }
`
