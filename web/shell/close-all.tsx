import { CircleOff } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useStore } from '../connection/store.ts'
import { Button } from '../parts/button.tsx'
import { flattenSheet } from './open.ts'

const FlattenSheet = lazy(async () => ({
  default: (await import('../position/flatten-sheet.tsx')).FlattenSheet,
}))

/** The sheet that closes all positions, loaded when first opened. */
export const FlattenDoor = () => {
  const asked = useStore(flattenSheet)
  return (
    asked && (
      <Suspense>
        <FlattenSheet asked={asked} />
      </Suspense>
    )
  )
}

export const CloseAllButton = ({ className = '' }: { className?: string }) => (
  <Button kind="danger" className={className} onClick={() => flattenSheet.set({})}>
    <CircleOff aria-hidden="true" className="size-4" /> Close all positions…
  </Button>
)
