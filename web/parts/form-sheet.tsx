import { useEffect, useRef, useState, type ReactNode } from 'react'
import { live } from '../connection/live.ts'
import { useStore } from '../connection/store.ts'
import { Button } from './button.tsx'
import { SETTLING_MS } from './confirm-sheet.tsx'
import { Sheet } from './dialog.tsx'
import { ProblemNotice } from './notice.tsx'
import type { useSend } from './form.ts'

interface Props {
  close: () => void
  title: ReactNode
  /** What the confirming button does, such as "Pause it". */
  verb: string
  kind?: 'primary' | 'stop'
  form: ReturnType<typeof useSend>
  /** It is about real money: the accent of the question says so. */
  isReal?: boolean
  /** A question has nothing to fill in: the way back has the focus first. */
  isQuestion?: boolean
  isBlocked?: boolean
  children?: ReactNode
}

/**
 * A form or a question above the page. It is there while it is open, so that nothing typed into it stays. What the service
 * refuses without naming a field stands above the buttons.
 */
export function FormSheet({
  close,
  title,
  verb,
  kind = 'primary',
  form,
  isReal = false,
  isQuestion = false,
  isBlocked = false,
  children,
}: Props) {
  const isLive = useStore(live).isLive
  const goBack = useRef<HTMLButtonElement>(null)
  const [isSettled, setSettled] = useState(!isQuestion)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLING_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Sheet isOpen close={close} title={title} {...(isQuestion && { initialFocus: goBack })}>
      <form onSubmit={form.submit} noValidate data-mode={isReal ? 'live' : undefined} className="grid gap-4">
        {children}
        {form.general && <ProblemNotice problem={form.general} />}
        {!isLive && <p className="text-sm text-warn">Without a connection nothing is changed.</p>}
        <div className={`grid gap-2 ${isReal ? 'grid-cols-2' : 'grid-cols-[3fr_2fr]'}`}>
          <Button
            type="submit"
            kind={kind}
            size="big"
            className="whitespace-normal"
            disabled={form.isBusy || !isLive || !isSettled || isBlocked}
          >
            {form.isBusy ? 'One moment…' : verb}
          </Button>
          <Button ref={goBack} size="big" onClick={() => isSettled && close()}>
            Go back
          </Button>
        </div>
      </form>
    </Sheet>
  )
}
