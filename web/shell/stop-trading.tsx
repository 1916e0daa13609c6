import { OctagonPause, Power, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { useMe } from '../records/person.ts'
import { useAccounts } from '../records/accounts.ts'
import { serviceNow } from '../connection/clock.ts'
import { useStore } from '../connection/store.ts'
import { useHalts } from '../records/halts.ts'
import { LEVELS, pillOf, SCOPES, type Halt } from '../words/halts.ts'
import { bothTimes } from '../words/times.ts'
import { stopped, stopSheet } from './open.ts'
import { ResumeSheet } from './resume-sheet.tsx'
import { StopSheet } from './stop-sheet.tsx'

/** The kill switch of every page, with the present halt in a word. */
export function StopTrading() {
  const isOpen = useStore(stopSheet)
  const pill = pillOf(useHalts(), [...useAccounts().keys()])
  return (
    <>
      <Button
        kind={pill === null ? 'danger' : 'stop'}
        onClick={() => stopSheet.set(true)}
        aria-label={pill === null ? 'Stop trading' : `${pill}: change it or resume`}
        className={
          pill === null
            ? 'max-desk:w-11 max-desk:px-0'
            : 'shrink-0 font-bold max-desk:w-min max-desk:px-2 max-desk:text-xs max-desk:whitespace-normal'
        }
      >
        {pill === null ? (
          <Power aria-hidden="true" className="size-4" />
        ) : (
          <OctagonPause aria-hidden="true" className="size-4 shrink-0 max-desk:hidden" />
        )}
        {pill ?? <span className="hidden desk:inline">Stop trading</span>}
      </Button>
      <Stopped />
      {isOpen && <StopSheet scope="user" close={() => stopSheet.set(false)} />}
    </>
  )
}

/** Milliseconds for which a halt is confirmed below the header; its pill remains. */
const CONFIRMED_MS = 10_000

/** Confirms a halt by a sentence below the header, at any scroll position. */
function Stopped() {
  const sentence = useStore(stopped)
  useEffect(() => {
    if (sentence === null) return undefined
    const timer = setTimeout(() => stopped.set(null), CONFIRMED_MS)
    return () => clearTimeout(timer)
  }, [sentence])
  return (
    <div role="status" className="absolute inset-x-0 top-full">
      {sentence !== null && (
        <p className="flex items-center gap-3 bg-danger-fill px-4 py-1 text-sm font-medium text-on-fill">
          <OctagonPause aria-hidden="true" className="size-4 shrink-0" />
          <span className="min-w-0 grow">{sentence}</span>
          <button
            type="button"
            aria-label="Hide"
            onClick={() => stopped.set(null)}
            className="grid size-11 shrink-0 place-items-center desk:size-7"
          >
            <X aria-hidden="true" className="size-4" />
          </button>
        </p>
      )}
    </div>
  )
}

/** The present halts, on every page; lifting one asks first. */
export function HaltList() {
  const halts = useHalts()
  const { data: me } = useMe()
  return halts.map((halt) => (
    <div
      key={halt.id}
      role="status"
      className="mb-4 flex flex-wrap items-center gap-3 rounded-card bg-danger-soft px-4 py-3"
    >
      <Power aria-hidden="true" className="size-4 shrink-0 text-danger" />
      <p className="min-w-0 flex-1 basis-40 wrap-anywhere">
        <b className="font-bold">{LEVELS[halt.level].stands}</b> for {SCOPES[halt.scope]} since{' '}
        {bothTimes(halt.setAt, serviceNow())}
        {halt.reason !== null && <span className="block text-xs">“{halt.reason}”</span>}
      </p>
      {halt.scope === 'user' && <Resume halt={halt} scope="user" />}
      {halt.scope === 'global' && me?.role === 'admin' && <Resume halt={halt} scope="global" />}
    </div>
  ))
}

/** Button that lifts a halt, after a question. */
export function Resume({ halt, scope }: { halt: Halt; scope: 'user' | 'global' }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind="danger" data-resume={scope} onClick={() => setOpen(true)}>
        Resume…
      </Button>
      {isOpen && <ResumeSheet halt={halt} scope={scope} close={() => setOpen(false)} />}
    </>
  )
}
