print regexpi("aBc","b","match"), " ", regexpi("ABC","[a-b]+","match","once"), " ", regexp("aBc","b","match")
% out: {"B"} AB {}
