import type { Bar, Fill } from './emulator.ts'

/** What an alert was created on. */
export interface Chart {
  ticker: string
  exchange: string
  /** Of the bars: minutes, or "D", "W", "M". */
  interval: string
}

/** To the second, as TradingView writes times: 2026-03-02T14:30:00Z. */
export const timeText = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

const sideOf = (position: number): string => (position > 0 ? 'long' : position < 0 ? 'short' : 'flat')

const ofChart = (chart: Chart, bar: Bar, now: Date): Record<string, string> => ({
  ticker: chart.ticker,
  exchange: chart.exchange,
  interval: chart.interval,
  open: String(bar.open),
  high: String(bar.high),
  low: String(bar.low),
  close: String(bar.close),
  time: timeText(bar.time),
  timenow: timeText(now),
  'syminfo.currency': 'USD',
})

const ofStrategy = (fill: Fill): Record<string, string> => ({
  'strategy.order.action': fill.action,
  'strategy.order.contracts': String(fill.contracts),
  'strategy.order.price': String(fill.price),
  'strategy.order.id': fill.id,
  'strategy.order.comment': fill.comment,
  'strategy.order.alert_message': fill.alertMessage,
  'strategy.position_size': String(fill.position),
  'strategy.market_position': sideOf(fill.position),
  'strategy.market_position_size': String(Math.abs(fill.position)),
  'strategy.prev_market_position': sideOf(fill.positionBefore),
  'strategy.prev_market_position_size': String(Math.abs(fill.positionBefore)),
})

/** Text in the place of text: quotes are not escaped, and an unknown placeholder stays. */
const filledIn = (template: string, values: Record<string, string>): string =>
  template.replaceAll(/\{\{([^{}]+)\}\}/g, (whole, name: string) => values[name] ?? whole)

/** The message of an alert on a strategy, made once when its order fills. */
export const strategyMessage = (template: string, chart: Chart, fill: Fill, now: Date): string =>
  filledIn(template, { ...ofChart(chart, fill.bar, now), ...ofStrategy(fill) })

/** The message of an alert on an indicator or a price: placeholders of a strategy stay as they are. */
export const indicatorMessage = (template: string, chart: Chart, bar: Bar, now: Date): string =>
  filledIn(template, ofChart(chart, bar, now))
