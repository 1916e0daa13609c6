import { Button } from '../parts/button.tsx'
import { dismiss, isSettled, type Decided } from './decisions.ts'
import { OutcomeLine } from './outcome-line.tsx'

/** Outcomes, the newest first; a narrow screen shows the newest above the card. */
export function DecidedLines({ lines, now }: { lines: readonly Decided[]; now: number }) {
  const settled = lines.filter(isSettled)
  return (
    <section aria-label="Decided" className={`grid gap-2 ${lines.length === 1 ? 'max-wide:hidden' : ''}`}>
      <div className="flex min-h-11 items-center gap-2 desk:min-h-8">
        <h2 className="grow font-bold">Decided</h2>
        {settled.length > 1 && (
          <Button onClick={() => dismiss(...settled.map(({ signal }) => signal.id))}>Dismiss all</Button>
        )}
      </div>
      {lines.map((decided, index) => (
        <OutcomeLine
          key={decided.signal.id}
          decided={decided}
          now={now}
          className={index === 0 ? 'max-wide:hidden' : ''}
        />
      ))}
    </section>
  )
}
