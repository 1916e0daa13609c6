import { useNow } from '../parts/time.ts'
import { useMarketState } from '../records/market.ts'
import { marketTime } from '../words/times.ts'

export function ExchangeClock() {
  const now = useNow()
  const market = useMarketState(now)
  return (
    <span className="hidden items-center gap-2 text-xs text-muted desk:flex">
      {market && (
        <>
          <span
            aria-hidden="true"
            className={`size-2 shrink-0 rounded-full ${market.isOpen ? 'bg-buy' : 'border-2 border-edge'}`}
          />
          <span className="max-wide:hidden">{market.words} ·</span>
          <span className="sr-only wide:hidden">{market.words}</span>
        </>
      )}
      {marketTime(now)}
    </span>
  )
}

export function MarketLine() {
  const market = useMarketState(useNow())
  if (!market) return null
  return (
    <span className="text-xs whitespace-nowrap text-muted desk:hidden">
      <span aria-hidden="true">{market.short}</span>
      <span className="sr-only">{market.words}</span>
    </span>
  )
}
