import { AlertDialog } from '@base-ui/react/alert-dialog'
import type { ReactNode, RefObject } from 'react'

interface Props {
  isOpen: boolean
  close: () => void
  title: ReactNode
  /** First element with the focus; the first control without it. */
  initialFocus?: RefObject<HTMLElement | null>
  children: ReactNode
}

/**
 * Question above the page; Escape and going back change nothing. It opens at its top, so that its subject is read
 * first.
 */
export const Sheet = ({ isOpen, close, title, initialFocus, children }: Props) => (
  <AlertDialog.Root open={isOpen} onOpenChange={(open) => !open && close()}>
    <AlertDialog.Portal>
      <AlertDialog.Backdrop className="fixed inset-0 z-20 bg-[oklch(0.15_0.01_260/0.55)]" />
      <AlertDialog.Popup
        {...(initialFocus && { initialFocus })}
        className="fixed inset-x-0 bottom-0 z-30 mx-auto grid max-h-[calc(100dvh-48px)] content-start gap-3 overflow-y-auto overscroll-contain rounded-t-sheet border border-line bg-surface p-5 shadow-float desk:inset-x-4 desk:top-16 desk:bottom-auto desk:max-h-[calc(100dvh-96px)] desk:max-w-105 desk:rounded-sheet"
      >
        <AlertDialog.Title className="text-xl font-bold wrap-anywhere">{title}</AlertDialog.Title>
        {children}
      </AlertDialog.Popup>
    </AlertDialog.Portal>
  </AlertDialog.Root>
)
