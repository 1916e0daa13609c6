// The question that closes a position imports it from here.
export { useCheck } from '../../trade/check.ts'
