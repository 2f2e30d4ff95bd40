export { itemOfList } from './item-of-list.ts'
export { type RlpStruct, rlpList, rlpStruct } from './lists.ts'
export { enterList, enterString, isList, leaveList, skipItem, writeItems, writeList, writeString } from './prefix.ts'
export { rlpBytes, rlpFixed, rlpFixedOrEmpty, rlpU64, rlpU256 } from './scalars.ts'
