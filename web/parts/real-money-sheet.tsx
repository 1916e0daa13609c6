import { useRef, type ReactNode } from 'react'
import { Sheet } from './dialog.tsx'
import { ModePill } from './mode-pill.tsx'
import { SheetButtons } from './sheet-buttons.tsx'

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
      <div data-mode="live">
        {isOpen && (
          <SheetButtons
            {...{ close, goBack }}
            kind="primary"
            verb={`${verb} with real money`}
            confirm={() => {
              close()
              confirm()
            }}
          />
        )}
      </div>
    </Sheet>
  )
}
