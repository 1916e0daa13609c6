import type { Quote } from '#client/types.ts'
import { Button } from '../parts/button.tsx'
import { money } from '../words/figures.ts'

/** Midpoint to the cent; null where bid or ask is unknown. */
const middleOf = (quote: Quote | undefined): number | null =>
  quote?.bid == null || quote.ask === null ? null : Math.round((quote.bid + quote.ask) * 50) / 100

/** Bid, midpoint and ask as limit prices. */
export function PriceOffers({
  quote,
  choose,
}: {
  quote: Quote | undefined
  choose: (price: string) => void
}) {
  const offers = [
    ['Bid', quote?.bid],
    ['Middle', middleOf(quote)],
    ['Ask', quote?.ask],
  ] as const
  return (
    <div className="grid grid-cols-3 gap-2">
      {offers.map(([name, price]) => (
        <Button
          key={name}
          size="big"
          className="flex-col gap-0"
          disabled={price == null}
          onClick={() => choose(String(price))}
        >
          <span className="text-xs text-muted">{name}</span> {price == null ? '–' : money(price)}
        </Button>
      ))}
    </div>
  )
}
