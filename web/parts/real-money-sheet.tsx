import { useRef, type ReactNode } from 'react'
import { Sheet } from './dialog.tsx'
import { ModePill } from './mode-pill.tsx'
import { SheetButtons } from './sheet-buttons.tsx'

interface Props {
  isOpen: boolean
  close: () => void
  confirm: () => void
  title: string
  verb: string
  children: ReactNode
}

/** Second confirmation: one press never spends real money. */
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
