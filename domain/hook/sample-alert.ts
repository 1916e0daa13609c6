interface Occasion {
  ticker: string
  now: string
  price: string
}

/** An alert of a flat strategy that bought 10 shares; unknown placeholders remain. */
export function asSampleAlert(message: string, occasion: Occasion): string {
  const values = valuesOf(occasion)
  return message.replaceAll(/\{\{([\w.]{1,60})\}\}/g, (whole, name: string) => values.get(name) ?? whole)
}

const valuesOf = ({ ticker, now, price }: Occasion): Map<string, string> =>
  new Map([
    ['ticker', ticker],
    ['exchange', 'NASDAQ'],
    ['interval', '15'],
    ...['open', 'high', 'low', 'close', 'strategy.order.price'].map((name): [string, string] => [
      name,
      price,
    ]),
    ['volume', '1000'],
    ['time', now],
    ['timenow', now],
    ['strategy.order.action', 'buy'],
    ['strategy.order.contracts', '10'],
    ['strategy.order.id', 'Long'],
    ['strategy.order.comment', ''],
    ['strategy.order.alert_message', 'openLong'],
    ['strategy.position_size', '10'],
    ['strategy.market_position', 'long'],
    ['strategy.market_position_size', '10'],
    ['strategy.prev_market_position', 'flat'],
    ['strategy.prev_market_position_size', '0'],
  ])
