import { useState } from 'react'
import { ProtectSheet, type Uncovered } from './protect-sheet.tsx'

export function ProtectButton({
  position,
  shares,
  className,
}: {
  position: Uncovered
  shares: number
  className: string
}) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <button
        type="button"
        className={className}
        aria-label={`Protect ${position.symbol}`}
        onClick={() => setAsking(true)}
      >
        Protect…
      </button>
      {isAsking && <ProtectSheet of={[{ ...position, quantity: shares }]} close={() => setAsking(false)} />}
    </>
  )
}
