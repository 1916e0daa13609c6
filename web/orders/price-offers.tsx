import type { Quote } from '#client/types.ts'
import { Button } from '../parts/button.tsx'
import { money } from '../words/figures.ts'
import { middleOf } from './ticket/ticket.ts'

/** What the market gives for a limit: each is taken over by a press. */
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
    <div className="flex flex-wrap gap-2">
      {offers.map(([name, price]) => (
        <Button
          key={name}
          className="grow px-2"
          disabled={price == null}
          onClick={() => choose(String(price))}
        >
          {name} {price == null ? '–' : money(price)}
        </Button>
      ))}
    </div>
  )
}
