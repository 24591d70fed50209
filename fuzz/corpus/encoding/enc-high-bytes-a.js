	const n = 1;
// café ÿ
