import { ArrowDown, ArrowUp } from 'lucide-react'

/** Arrow of buying or selling, distinct by shape, colour and the word beside it. */
export const Direction = ({ isBuy, isBig = false }: { isBuy: boolean; isBig?: boolean }) => {
  const Arrow = isBuy ? ArrowUp : ArrowDown
  return (
    <span
      className={`inline-grid shrink-0 place-items-center rounded-control text-surface ${isBuy ? 'bg-buy' : 'bg-sell'} ${isBig ? 'size-8' : 'size-5'}`}
    >
      <Arrow aria-hidden="true" strokeWidth={2.5} className={isBig ? 'size-5' : 'size-3.5'} />
    </span>
  )
}
