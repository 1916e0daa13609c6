import { useRef, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Sheet } from './dialog.tsx'
import { ModePill } from './mode-pill.tsx'

interface Props {
  isOpen: boolean
  close: () => void
  confirm: () => void
  title: string
  /** What the confirming button does, such as "Buy". */
  verb: string
  children: ReactNode
}

/** Real money is never spent by one press: a second button, in another place, says what it does. */
export function RealMoneySheet({ isOpen, close, confirm, title, verb, children }: Props) {
  const goBack = useRef<HTMLButtonElement>(null)
  return (
    <Sheet initialFocus={goBack} isOpen={isOpen} close={close} title={`${title} with real money?`}>
      <p>
        <ModePill isLive />
      </p>
      <p className="text-muted wrap-anywhere">{children}</p>
      <div data-mode="live" className="grid grid-cols-[3fr_2fr] gap-2">
        <Button
          size="big"
          kind="primary"
          className="max-desk:whitespace-normal"
          onClick={() => {
            close()
            confirm()
          }}
        >
          {verb} with real money
        </Button>
        <Button ref={goBack} size="big" onClick={close}>
          Go back
        </Button>
      </div>
    </Sheet>
  )
}
