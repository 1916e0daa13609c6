import { Link } from '@tanstack/react-router'
import type { Position } from '#client/types.ts'
import { Button } from '../parts/button.tsx'
import { Sheet } from '../parts/dialog.tsx'
import { useNow } from '../parts/time.ts'
import { expectedLevels } from '../exit/state.ts'
import { ExitBody } from '../exit/exit-body.tsx'
import type { Planned } from '../exit/terms.ts'
import { useAccounts } from '../records/accounts.ts'
import { useQuotes } from '../records/quotes.ts'
import { useSignal, useStoryNews } from '../signal/story-data.ts'
import { number } from '../words/figures.ts'
import { HalfOff } from './half-off.tsx'
import { SIDES } from './worth.ts'

/** The exit of a signal whose shares are held; null while it is read, and without one. */
export function usePlanned(signalId: string): Planned | null {
  const { data: signal } = useSignal(signalId)
  useStoryNews(signalId)
  const account = useAccounts().get(signal?.accountId ?? '')
  const quotes = useQuotes(signal ? [signal.symbol] : [], signal?.accountId)
  const last = quotes.data?.quotes.get(signal?.symbol ?? '')?.last ?? null
  return signal ? expectedLevels(signal, account, last) : null
}

export function HeldExitCard({ signalId, position }: { signalId: string; position: Position }) {
  const planned = usePlanned(signalId)
  const now = useNow()
  return planned === null ? (
    <div className="waiting-shape m-4 h-40" />
  ) : (
    <ExitBody of={planned} accountId={position.accountId} now={now}>
      <HalfOff position={position} now={now} className="max-desk:grow" />
    </ExitBody>
  )
}

export const ExitSheet = ({
  signalId,
  position,
  close,
}: {
  signalId: string
  position: Position
  close: () => void
}) => (
  <Sheet
    isOpen
    close={close}
    title={`${position.symbol}, ${number(position.quantity)} ${SIDES[position.side]}`}
  >
    <div className="-mx-4">
      <HeldExitCard signalId={signalId} position={position} />
    </div>
    <div className="flex items-center gap-4">
      <Link to="/signals/$id" params={{ id: signalId }} className="underline">
        Its signal
      </Link>
      <span className="grow" />
      <Button onClick={close}>Go back</Button>
    </div>
  </Sheet>
)
