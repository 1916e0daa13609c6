import { useState } from 'react'
import type { Position } from '#client/types.ts'
import { useIsLive } from '../connection/live.ts'
import { Button } from '../parts/button.tsx'
import { useAccounts } from '../records/accounts.ts'
import { partOf } from '../words/figures.ts'
import { useAction } from '../parts/action.ts'
import type { Closing } from './close-outcome.tsx'
import { CloseSheet } from './close-sheet.tsx'
import { useCovers } from './list.ts'

interface Props {
  position: Position
  now: number
  className?: string
}

/** Closes half of the shares at market, after a question. */
export function HalfOff({ position, now, className = '' }: Props) {
  const [isAsking, setAsking] = useState(false)
  const isLive = useIsLive()
  const coverOf = useCovers()
  const account = useAccounts().get(position.accountId)
  const half = partOf(0.5, position.quantity)
  const action = useAction<Closing>()
  return (
    <>
      <Button
        className={className}
        disabled={!isLive || half === null || !coverOf}
        onClick={() => setAsking(true)}
      >
        {half === null ? 'One share cannot be halved' : 'Half off here…'}
      </Button>
      {isAsking && account && (
        <CloseSheet
          {...{ position, account, coverOf, now }}
          half={action}
          close={() => {
            setAsking(false)
            if (action.state.is === 'done') action.reset()
          }}
        />
      )}
    </>
  )
}
